import type { StoredDocument } from "@/lib/documents/collection.ts";
import type { View as SavedView } from "@/lib/documents/views.ts";
import {
  AI_PROMPT_LENGTH_MAX,
  COLUMNS_MAX,
  PATH_LENGTH_MAX,
  WHERE_CONDITIONS_MAX,
} from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { type Column, cut } from "./cells.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { undeclaredIn } from "@/lib/documents/undeclared.ts";
import { choicesOf, conditionOf } from "./filters.ts";
import { inputOf, type Path, pathsOf, wordOf } from "./paths.ts";
import type { Room } from "./room.ts";
import { SearchBox } from "./search_box.tsx";
import { ViewMenu } from "./view_menu.tsx";
import {
  filtersOf,
  hrefOf,
  isTrash,
  trashOf,
  type View,
  viewText,
  withoutEntry,
  withoutTrash,
} from "./view.ts";

/** A question in plain words, and what has come of it. */
export interface Asked {
  readonly prompt: string;
  readonly problem: Problem | null;
  /** What was understood and could not be made a filter. */
  readonly dropped: readonly { readonly field: string; readonly reason: string }[];
}

interface ToolbarProps {
  readonly room: Room;
  readonly view: View;
  readonly columns: readonly Column[];
  readonly documents: readonly StoredDocument[];
  readonly asked: Asked | null;
  readonly views: readonly SavedView[];
  /** Whether there is a key to ask an AI provider with. */
  readonly canAsk: boolean;
}

/** What the grid shows: filters, columns, trash, and how to say it in words. */
export const Toolbar = ({ room, view, columns, documents, asked, views, canAsk }: ToolbarProps) => {
  const { tools: t } = texts().documents;
  return (
    <div class="bar tools">
      <SearchBox room={room} view={view} />
      <Chips room={room} view={view} />
      <FilterMenu room={room} view={view} />
      {canAsk && room.mayWrite && !isTrash(view)
        ? <AskInWords room={room} view={view} asked={asked} />
        : <span class="grow"></span>}
      <ViewMenu room={room} view={view} views={views} />
      <ColumnMenu room={room} view={view} columns={columns} documents={documents} />
      {isTrash(view)
        ? <a role="button" class="quiet" href={hrefOf(withoutTrash(view))}>{t.leaveTrash}</a>
        : <a role="button" class="quiet" href={hrefOf(trashOf(view))}>{t.trash}</a>}
    </div>
  );
};

/** What the links of all chips may take together: each repeats nearly all of the view. */
const LINKS_LENGTH_MAX = 262_144;

/**
 * No more are shown than a list can have. Of a long view only the first lead anywhere: once they are
 * taken away, the next do.
 */
const Chips = ({ room, view }: { room: Room; view: View }) => {
  const filters = filtersOf(view);
  const more = filters.length - WHERE_CONDITIONS_MAX;
  const { filters: t } = texts().documents;
  const linked = Math.max(1, LINKS_LENGTH_MAX / (2 * viewText(view).length));
  return (
    <>
      {filters.slice(0, WHERE_CONDITIONS_MAX)
        .map((filter, i) => <Chip room={room} view={view} {...filter} isLinked={i < linked} />)}
      {more > 0 && <small>{t.more(more)}</small>}
    </>
  );
};

const Chip = (
  { room, view, at, name, value, isLinked }: {
    room: Room;
    view: View;
    at: number;
    name: string;
    value: string;
    isLinked: boolean;
  },
) => {
  const { field, words: asked, value: shown, choice } = conditionOf(room.collection, name, value);
  const text = (
    <>
      {cut(field)} <b>{asked}</b> {cut(shown)}
    </>
  );
  const { filters: t } = texts().documents;
  const words = [cut(field), asked, cut(shown)].filter((one) => one !== "").join(" ");
  return (
    <span class="chip">
      {choice === null || !isLinked
        ? <span>{text}</span>
        : <a href={hrefOf(view, { edit: at })} aria-label={t.changeOne(words)}>{text}</a>}
      {isLinked && (
        <a class="away" href={hrefOf(withoutEntry(view, at))} aria-label={t.removeOne(words)}>×</a>
      )}
    </span>
  );
};

/** First the field, then what is asked of it: what can be asked depends on its type. */
const FilterMenu = ({ room, view }: { room: Room; view: View }) => {
  const paths = pathsOf(room.collection);
  const entry = view.editing === null ? undefined : view.entries[view.editing];
  const edited = entry && conditionOf(room.collection, ...entry);
  const path = paths.get(edited?.field ?? view.field ?? "");
  return (
    <details class="menu" name="tools" open={path !== undefined}>
      <summary role="button" class="quiet">{texts().documents.filters.menu}</summary>
      <form action={`${room.path}/filter`}>
        <input type="hidden" name="view" value={viewText(view)} />
        {path === undefined ? <Fields paths={[...paths.values()]} /> : (
          <ConditionForm
            path={path}
            at={edited === undefined ? null : view.editing}
            chosen={edited?.choice ?? null}
            value={edited?.value ?? ""}
            back={hrefOf(view)}
          />
        )}
      </form>
    </details>
  );
};

const Fields = ({ paths }: { paths: readonly Path[] }) => (
  <fieldset class="choose">
    <legend>{texts().documents.filters.field}</legend>
    {paths.map((one) => (
      <button class="quiet" name="field" value={one.path}>
        {one.path} <small>{wordOf(one)}</small>
      </button>
    ))}
  </fieldset>
);

const ConditionForm = (
  { path, at, chosen, value, back }: {
    path: Path;
    at: number | null;
    chosen: string | null;
    value: string;
    back: string;
  },
) => {
  const { filters: t, cancel } = texts().documents;
  return (
    <>
      <input type="hidden" name="field" value={path.path} />
      {at !== null && <input type="hidden" name="at" value={String(at)} />}
      <label>
        {path.path}
        <select name="choice">
          {choicesOf(path).map(({ value, words }) => (
            <option value={value} selected={value === chosen}>{words}</option>
          ))}
        </select>
      </label>
      <Operand path={path} value={value} />
      <div class="acts">
        <button>{at === null ? t.add : t.change}</button>
        <a href={back}>{cancel}</a>
      </div>
    </>
  );
};

/** Typed as far as that does not shut out what the field can be asked for. */
const Operand = ({ path, value }: { path: Path; value: string }) => {
  const { type, compared, values } = path;
  const { filters: t, yes, no } = texts().documents;
  const input = inputOf(compared);
  const isList = FIELD_TYPES[type].holds === "elements";
  if (input === "json" || (isList && compared === null && value === "")) return null;
  if (input === "switch") {
    return (
      <label>
        {t.value}
        <select name="value">
          <option value="true" selected={value === "true"}>{yes}</option>
          <option value="false" selected={value === "false"}>{no}</option>
        </select>
      </label>
    );
  }
  const attributes = input === "time"
    ? { type: "datetime-local", step: "0.001", value: value.replace(/Z$/, "") }
    : input === "number"
    ? { inputmode: "decimal" as const, value }
    : { value, ...(values !== null && { list: "filter-values" }) };
  return (
    <>
      <label>
        {input === "time" ? t.time : t.value}
        <input name="value" autofocus autocomplete="off" {...attributes} />
      </label>
      {values !== null && (
        <datalist id="filter-values">{values.map((one) => <option value={one}></option>)}</datalist>
      )}
      {choicesOf(path).some((one) => one.value === "in") && <small>{t.several}</small>}
    </>
  );
};

const ColumnMenu = (
  { room, view, columns, documents }: Pick<ToolbarProps, "room" | "view" | "columns" | "documents">,
) => {
  const { columns: t } = texts().documents.tools;
  const paths = pathsOf(room.collection);
  const shown = new Set(columns.map(({ path }) => path));
  const all = [...paths.values()].map(({ path }) => path);
  const others = new Set([...shown].filter((path) => !paths.has(path)));
  for (const path of undeclaredIn(documents, all, PATH_LENGTH_MAX)) {
    if (all.length + others.size >= COLUMNS_MAX) break;
    others.add(path);
  }
  return (
    <details class="menu end" name="tools">
      <summary role="button" class="quiet">{t.menu}</summary>
      <form method="post" action={`${room.path}/columns`}>
        <input type="hidden" name="view" value={viewText(view)} />
        <fieldset class="choose">
          <legend>{t.legend}</legend>
          {[...all, ...others].map((path) => (
            <label>
              <input
                type="checkbox"
                name="column"
                value={path}
                checked={shown.has(path)}
              />
              {path}
            </label>
          ))}
        </fieldset>
        <div class="acts">
          <button>{t.show}</button>
          {view.columns !== null && <a href={hrefOf({ ...view, columns: null })}>{t.reset}</a>}
        </div>
      </form>
    </details>
  );
};

const AskInWords = (
  { room, view, asked }: { room: Room; view: View; asked: Asked | null },
) => {
  const { ask: t } = texts().documents.tools;
  return (
    <form class="ask-words" method="post" action={`${room.path}/ask`}>
      <input type="hidden" name="view" value={viewText(view)} />
      <time-zone>
        <input type="hidden" name="timeZone" value="UTC" />
      </time-zone>
      <input
        name="prompt"
        value={asked?.prompt ?? ""}
        maxlength={AI_PROMPT_LENGTH_MAX}
        aria-label={t.label}
        placeholder={t.sample}
        autocomplete="off"
        required
      />
      <button class="quiet">{t.ask}</button>
    </form>
  );
};

/** What has come of the question, under the bar. */
export const AskedNote = ({ asked }: { asked: Asked | null }) => {
  if (asked === null) return null;
  if (asked.problem !== null) return <Refusal problem={asked.problem} />;
  if (asked.dropped.length === 0) return null;
  return (
    <div class="note" role="status">
      <div>
        {texts().documents.tools.ask.dropped}
        <ul>
          {asked.dropped.map(({ field, reason }) => (
            <li>
              <b>{field}</b>: {reason}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "time-zone": { children?: unknown };
    }
  }
}
