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
import { type Column, shorten } from "./cells.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { findUndeclaredMembers } from "@/lib/documents/undeclared.ts";
import { choicesOf, toCondition } from "./filters.ts";
import { inputOf, type Path, pathsOf, typeWord } from "./paths.ts";
import type { GridContext } from "./context.ts";
import { SearchBox } from "./search_box.tsx";
import { ViewMenu } from "./view_menu.tsx";
import {
  filtersOf,
  gridPath,
  isTrash,
  toTrash,
  type View,
  viewText,
  withoutEntry,
  withoutTrash,
} from "./view.ts";

export interface AskedQuestion {
  readonly prompt: string;
  readonly problem: Problem | null;
  /** Parts of the question that could not be converted into filters. */
  readonly dropped: readonly { readonly field: string; readonly reason: string }[];
}

interface Props {
  readonly context: GridContext;
  readonly view: View;
  readonly columns: readonly Column[];
  readonly documents: readonly StoredDocument[];
  readonly asked: AskedQuestion | null;
  readonly views: readonly SavedView[];
  readonly canAsk: boolean;
}

export const Toolbar = ({ context, view, columns, documents, asked, views, canAsk }: Props) => {
  const { tools: t } = texts().documents;
  return (
    <div class="bar tools">
      <SearchBox context={context} view={view} />
      <Chips context={context} view={view} />
      <FilterMenu context={context} view={view} />
      {canAsk && context.canWrite && !isTrash(view)
        ? <AskInWords context={context} view={view} asked={asked} />
        : <span class="grow"></span>}
      <ViewMenu context={context} view={view} views={views} />
      <ColumnMenu context={context} view={view} columns={columns} documents={documents} />
      {isTrash(view)
        ? <a role="button" class="quiet" href={gridPath(withoutTrash(view))}>{t.leaveTrash}</a>
        : <a role="button" class="quiet" href={gridPath(toTrash(view))}>{t.trash}</a>}
    </div>
  );
};

/** Maximum number of characters of all chips' links, each of which contains most of the view. */
const LINKS_LENGTH_MAX = 262_144;

/** Filters, at most as many as a list can have. In a long view only the first have links. */
const Chips = ({ context, view }: { context: GridContext; view: View }) => {
  const filters = filtersOf(view);
  const more = filters.length - WHERE_CONDITIONS_MAX;
  const { filters: t } = texts().documents;
  const linked = Math.max(1, LINKS_LENGTH_MAX / (2 * viewText(view).length));
  return (
    <>
      {filters.slice(0, WHERE_CONDITIONS_MAX)
        .map((filter, i) => (
          <Chip
            context={context}
            view={view}
            {...filter}
            isLinked={i < linked}
          />
        ))}
      {more > 0 && <small>{t.more(more)}</small>}
    </>
  );
};

const Chip = (
  { context, view, at, name, value, isLinked }: {
    context: GridContext;
    view: View;
    at: number;
    name: string;
    value: string;
    isLinked: boolean;
  },
) => {
  const { field, words: asked, value: shown, choice } = toCondition(
    context.collection,
    name,
    value,
  );
  const text = (
    <>
      {shorten(field)} <b>{asked}</b> {shorten(shown)}
    </>
  );
  const { filters: t } = texts().documents;
  const words = [shorten(field), asked, shorten(shown)].filter((one) => one !== "").join(" ");
  return (
    <span class="chip">
      {choice === null || !isLinked
        ? <span>{text}</span>
        : <a href={gridPath(view, { edit: at })} aria-label={t.changeOne(words)}>{text}</a>}
      {isLinked && (
        <a class="away" href={gridPath(withoutEntry(view, at))} aria-label={t.removeOne(words)}>
          ×
        </a>
      )}
    </span>
  );
};

/** Menu to choose a field, then its condition, which depends on the field's type. */
const FilterMenu = ({ context, view }: { context: GridContext; view: View }) => {
  const paths = pathsOf(context.collection);
  const entry = view.editing === null ? undefined : view.entries[view.editing];
  const edited = entry && toCondition(context.collection, ...entry);
  const path = paths.get(edited?.field ?? view.field ?? "");
  return (
    <details class="menu" name="tools" open={path !== undefined}>
      <summary role="button" class="quiet">{texts().documents.filters.menu}</summary>
      <form action={`${context.path}/filter`}>
        <input type="hidden" name="view" value={viewText(view)} />
        {path === undefined ? <Fields paths={[...paths.values()]} /> : (
          <ConditionForm
            path={path}
            at={edited === undefined ? null : view.editing}
            chosen={edited?.choice ?? null}
            value={edited?.value ?? ""}
            back={gridPath(view)}
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
        {one.path} <small>{typeWord(one)}</small>
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

/** Input for an operand, typed unless that would exclude permitted operands such as lists. */
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
  { context, view, columns, documents }: Pick<
    Props,
    "context" | "view" | "columns" | "documents"
  >,
) => {
  const { columns: t } = texts().documents.tools;
  const paths = pathsOf(context.collection);
  const shown = new Set(columns.map(({ path }) => path));
  const all = [...paths.values()].map(({ path }) => path);
  const others = new Set([...shown].filter((path) => !paths.has(path)));
  for (const path of findUndeclaredMembers(documents, all, PATH_LENGTH_MAX)) {
    if (all.length + others.size >= COLUMNS_MAX) break;
    others.add(path);
  }
  return (
    <details class="menu end" name="tools">
      <summary role="button" class="quiet">{t.menu}</summary>
      <form method="post" action={`${context.path}/columns`}>
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
          {view.columns !== null && <a href={gridPath({ ...view, columns: null })}>{t.reset}</a>}
        </div>
      </form>
    </details>
  );
};

const AskInWords = (
  { context, view, asked }: { context: GridContext; view: View; asked: AskedQuestion | null },
) => {
  const { ask: t } = texts().documents.tools;
  return (
    <form class="ask-words" method="post" action={`${context.path}/ask`}>
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

export const AskedNote = ({ asked }: { asked: AskedQuestion | null }) => {
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
