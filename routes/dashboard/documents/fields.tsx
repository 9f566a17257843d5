import type { Child } from "hono/jsx";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import { SEARCH_LENGTH_MAX } from "@/lib/limits.ts";
import type { FieldFault } from "@/lib/problems.ts";
import { areaText } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { cut } from "./cells.ts";
import { type Entry, FIELD_PREFIX, FIND_PREFIX } from "./entered.ts";
import { inputOf } from "./paths.ts";
import { type Found, type Names, type Target, targetOf, type Targets } from "./references.ts";

interface FieldsProps {
  readonly entries: readonly Entry[];
  readonly faults: readonly FieldFault[];
  /** What references can lead to. */
  readonly targets: Targets;
  /** Whether somebody is about to fill them in. */
  readonly isNew: boolean;
  readonly owner: string | null;
  /** Where the form can look for what a reference leads to; left out where it cannot. */
  readonly finding?: Finding;
  readonly isReadOnly: boolean;
}

interface Finding {
  readonly found: Found | null;
}

/** The members of a document, each with a field of its type and what is wrong with it. */
export const Fields = (
  { entries, faults, targets, isNew, owner, finding, isReadOnly }: FieldsProps,
) => {
  const byKey = faultsByKey(entries, faults);
  const told = entries.map(({ key }) => byKey.get(key) ?? []);
  const faulty = told.findIndex((one) => one.length > 0);
  const sought = entries.findIndex(({ key }) => key === finding?.found?.key);
  const focus = sought >= 0 ? sought : faulty < 0 && isNew ? 0 : faulty;
  return (
    <div class="members">
      {entries.map((entry, i) => {
        const id = `field-${i}`;
        return (
          <Labelled
            entry={entry}
            id={id}
            isNew={isNew}
            isOwner={entry.key === owner}
            faults={told[i]!}
          >
            <Input
              entry={entry}
              id={id}
              target={entry.field && targets.get(targetOf(entry.field, owner) ?? "")}
              finding={finding}
              isReadOnly={isReadOnly}
              isFaulty={told[i]!.length > 0}
              isFocused={i === focus}
            />
          </Labelled>
        );
      })}
    </div>
  );
};

/** Faults inside a list or an object are told at the field that holds them. */
function faultsByKey(entries: readonly Entry[], faults: readonly FieldFault[]) {
  const keys = new Set(entries.map(({ key }) => key));
  const told = new Map<string, string[]>();
  for (const { path, message } of faults) {
    const key = declaredKeyOf(keys, path);
    if (key === null) continue;
    const texts = told.get(key);
    if (texts === undefined) told.set(key, [`${path} ${message}`]);
    else texts.push(`${path} ${message}`);
  }
  return told;
}

/** The field that has what lies at a path, or is it; null for none. Names may have dots in them. */
function declaredKeyOf(keys: ReadonlySet<string>, path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
    const key = path.slice(0, end);
    if (keys.has(key)) return key;
  }
  return null;
}

/** Whether every fault has a field to be told at. */
export function areAllTold(entries: readonly Entry[], faults: readonly FieldFault[]): boolean {
  const keys = new Set(entries.map(({ key }) => key));
  return faults.every(({ path }) => declaredKeyOf(keys, path) !== null);
}

function kindOf({ type, ref, file, enum: values }: FieldDefinition): string {
  const { kinds: t } = texts().documents;
  if (values !== undefined) return t.oneOf;
  if (file) return type === "Array" ? t.files : t.file;
  return ref === undefined ? t.entered[type] : t.idIn(ref);
}

const defaultText = ({ default: value }: FieldDefinition): string =>
  cut(typeof value === "string" && value !== "" ? value : JSON.stringify(value));

const Labelled = (
  { entry: { key, field, isRequired }, id, isNew, isOwner, faults, children }: {
    entry: Entry;
    id: string;
    isNew: boolean;
    isOwner: boolean;
    faults: readonly string[];
    children?: Child;
  },
) => {
  const { kinds, editor: t } = texts().documents;
  const kind = isOwner ? kinds.owner : field === null ? kinds.undeclaredJson : kindOf(field);
  return (
    <div class="member">
      <label for={id}>
        {key} <small>{isRequired ? kinds.required(kind) : kind}</small>
      </label>
      {children}
      {isNew && field?.default !== undefined && <small>{t.whereEmpty(defaultText(field))}</small>}
      {faults.length > 0 && <p class="member-fault" id={`${id}-fault`}>{faults.join(". ")}</p>}
    </div>
  );
};

const Input = (
  { entry: { key, field, text }, id, target, finding, isReadOnly, isFaulty, isFocused }: {
    entry: Entry;
    id: string;
    /** Of a reference; nothing of what is none. */
    target: Target | null | undefined;
    finding: Finding | undefined;
    isReadOnly: boolean;
    isFaulty: boolean;
    isFocused: boolean;
  },
) => {
  const common = {
    id,
    name: FIELD_PREFIX + key,
    ...(isReadOnly && { readonly: true }),
    ...(isFocused && { autofocus: true }),
    ...(isFaulty && { "aria-invalid": "true" as const, "aria-describedby": `${id}-fault` }),
  };
  if (target) {
    const looked = isReadOnly ? undefined : finding;
    return <Reference common={common} text={text} of={key} target={target} finding={looked} />;
  }
  switch (inputOf(field?.type)) {
    case "switch":
      return (
        <OneOf common={common} text={text} values={["true", "false"]} isReadOnly={isReadOnly} />
      );
    case "number":
      return <input type="number" step="any" value={text} {...common} />;
    case "id":
      return <IdInput common={common} text={text} />;
    case "time":
      return <input {...timeInput(text)} value={text} {...common} />;
    case "text":
      if (field?.enum !== undefined) {
        return <OneOf common={common} text={text} values={field.enum} isReadOnly={isReadOnly} />;
      }
      return <textarea rows={1} {...common}>{areaText(leading(text))}</textarea>;
    default:
      return (
        <textarea rows={1} class="mono" spellcheck={false} {...common}>{areaText(text)}</textarea>
      );
  }
};

const IdInput = ({ common, text }: { common: object; text: string }) => (
  <input value={text} autocomplete="off" spellcheck={false} class="mono" {...common} />
);

/** Chosen by name where there is little to choose from; else an id, which can be looked for. */
const Reference = (
  { common, text, of, target: { path, names }, finding }: {
    common: object;
    text: string;
    of: string;
    target: Target;
    finding: Finding | undefined;
  },
) => {
  if (names !== null && names.size > 0) return <Choice common={common} text={text} names={names} />;
  const found = finding?.found?.key === of ? finding.found : null;
  const { find: t } = texts().documents.editor;
  return (
    <>
      {found !== null && found.names.size > 0
        ? <Choice common={common} text={text} names={found.names} />
        : <IdInput common={common} text={text} />}
      {names === null && finding !== undefined && (
        <span class="find">
          <input
            type="search"
            name={FIND_PREFIX + of}
            maxlength={SEARCH_LENGTH_MAX}
            aria-label={t.label(of)}
            placeholder={t.hint}
            autocomplete="off"
          />
          <button class="quiet" name="find" value={of} aria-label={t.findFor(of)}>{t.find}</button>
        </span>
      )}
      {found !== null && <small role="status">{foundText(found)}</small>}
      <small>
        <a href={path} target="_blank">{t.lookUp}</a>
      </small>
    </>
  );
};

function foundText({ words, names }: Found): string {
  const { find: t } = texts().documents.editor;
  return names.size === 0 ? t.none(cut(words)) : t.found(names.size, cut(words));
}

const Choice = ({ common, text, names }: { common: object; text: string; names: Names }) => {
  const known = [...names.values()];
  const options = [...names].map(([id, name]) => ({
    id,
    name: known.indexOf(name) === known.lastIndexOf(name) ? name : `${name} (${id})`,
  }));
  return (
    <select {...common}>
      <option value="">—</option>
      {text !== "" && !names.has(text) && <option value={text} selected>{text}</option>}
      {options.toSorted((a, b) => a.name.localeCompare(b.name)).map(({ id, name }) => (
        <option value={id} selected={id === text}>{name}</option>
      ))}
    </select>
  );
};

/** Browsers know no year before the first: such a date would be gone when it is saved. */
const timeInput = (text: string) =>
  text === "" || /^(?!0000)\d{4}-\d\d-\d\dT/.test(text)
    ? { type: "datetime-local", step: "0.001" }
    : { type: "text" };

/** Of a text that begins with an empty line browsers leave it out. */
const leading = (text: string): string => /^\r?\n/.test(text) ? `\n${text}` : text;

/** What was typed or stored and is none of the values can still be seen, and stays unless changed. */
const OneOf = (
  { common, text, values, isReadOnly }: {
    common: object;
    text: string;
    values: readonly string[];
    isReadOnly: boolean;
  },
) => (
  <select {...common} disabled={isReadOnly}>
    <option value="">—</option>
    {values.map((value) => <option value={value} selected={value === text}>{value}</option>)}
    {text !== "" && !values.includes(text) && <option value={text} selected>{text}</option>}
  </select>
);
