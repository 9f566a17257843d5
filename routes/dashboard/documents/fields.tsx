import type { Child } from "hono/jsx";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import { SEARCH_LENGTH_MAX } from "@/lib/limits.ts";
import type { FieldFault } from "@/lib/problems.ts";
import { areaHtml } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { shorten } from "./cells.ts";
import { FIELD_PREFIX, FIND_PREFIX, type FormEntry } from "./entered.ts";
import { inputOf } from "./paths.ts";
import {
  type FoundNames,
  type Names,
  type Target,
  targetName,
  type Targets,
} from "./references.ts";

interface FieldsProps {
  readonly entries: readonly FormEntry[];
  readonly faults: readonly FieldFault[];
  readonly targets: Targets;
  readonly isNew: boolean;
  readonly owner: string | null;
  /** Search for targets of references; undefined if the form does not support it. */
  readonly finding?: ReferenceSearch;
  readonly isReadOnly: boolean;
}

interface ReferenceSearch {
  readonly found: FoundNames | null;
}

export const Fields = (
  { entries, faults, targets, isNew, owner, finding, isReadOnly }: FieldsProps,
) => {
  const byKey = faultsByKey(entries, faults);
  const shownFaults = entries.map(({ key }) => byKey.get(key) ?? []);
  const faulty = shownFaults.findIndex((one) => one.length > 0);
  const sought = entries.findIndex(({ key }) => key === finding?.found?.key);
  const focus = sought >= 0 ? sought : faulty < 0 && isNew ? 0 : faulty;
  return (
    <div class="members">
      {entries.map((entry, i) => {
        const id = `field-${i}`;
        return (
          <LabelledField
            entry={entry}
            id={id}
            isNew={isNew}
            isOwner={entry.key === owner}
            faults={shownFaults[i]!}
          >
            <Input
              entry={entry}
              id={id}
              target={entry.field && targets.get(targetName(entry.field, owner) ?? "")}
              finding={finding}
              isReadOnly={isReadOnly}
              isFaulty={shownFaults[i]!.length > 0}
              isFocused={i === focus}
            />
          </LabelledField>
        );
      })}
    </div>
  );
};

/** Groups faults by field. A fault inside a value belongs to the field that contains it. */
function faultsByKey(entries: readonly FormEntry[], faults: readonly FieldFault[]) {
  const keys = new Set(entries.map(({ key }) => key));
  const messages = new Map<string, string[]>();
  for (const { path, message } of faults) {
    const key = declaredKeyOf(keys, path);
    if (key === null) continue;
    const texts = messages.get(key);
    if (texts === undefined) messages.set(key, [`${path} ${message}`]);
    else texts.push(`${path} ${message}`);
  }
  return messages;
}

/** Returns the field that contains a path, or null. Names may contain dots. */
function declaredKeyOf(keys: ReadonlySet<string>, path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
    const key = path.slice(0, end);
    if (keys.has(key)) return key;
  }
  return null;
}

export function areAllShown(entries: readonly FormEntry[], faults: readonly FieldFault[]): boolean {
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
  shorten(typeof value === "string" && value !== "" ? value : JSON.stringify(value));

const LabelledField = (
  { entry: { key, field, isRequired }, id, isNew, isOwner, faults, children }: {
    entry: FormEntry;
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
    entry: FormEntry;
    id: string;
    /** Target of a reference; null or undefined for other fields. */
    target: Target | null | undefined;
    finding: ReferenceSearch | undefined;
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
    return <ReferenceInput common={common} text={text} of={key} target={target} finding={looked} />;
  }
  switch (inputOf(field?.type)) {
    case "switch":
      return (
        <Select common={common} text={text} values={["true", "false"]} isReadOnly={isReadOnly} />
      );
    case "number":
      return <input type="number" step="any" value={text} {...common} />;
    case "id":
      return <IdInput common={common} text={text} />;
    case "time":
      return <input {...timeInput(text)} value={text} {...common} />;
    case "text":
      if (field?.enum !== undefined) {
        return <Select common={common} text={text} values={field.enum} isReadOnly={isReadOnly} />;
      }
      return <textarea rows={1} {...common}>{areaHtml(keepLeadingLine(text))}</textarea>;
    default:
      return (
        <textarea rows={1} class="mono" spellcheck={false} {...common}>{areaHtml(text)}</textarea>
      );
  }
};

const IdInput = ({ common, text }: { common: object; text: string }) => (
  <input value={text} autocomplete="off" spellcheck={false} class="mono" {...common} />
);

/** Choice by name for a small collection; otherwise an id, with a search. */
const ReferenceInput = (
  { common, text, of, target: { path, names }, finding }: {
    common: object;
    text: string;
    of: string;
    target: Target;
    finding: ReferenceSearch | undefined;
  },
) => {
  if (names !== null && names.size > 0) {
    return <NameSelect common={common} text={text} names={names} />;
  }
  const found = finding?.found?.key === of ? finding.found : null;
  const { find: t } = texts().documents.editor;
  return (
    <>
      {found !== null && found.names.size > 0
        ? <NameSelect common={common} text={text} names={found.names} />
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

function foundText({ words, names }: FoundNames): string {
  const { find: t } = texts().documents.editor;
  return names.size === 0 ? t.none(shorten(words)) : t.found(names.size, shorten(words));
}

const NameSelect = ({ common, text, names }: { common: object; text: string; names: Names }) => {
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

/** Attributes of a time field. Browsers do not support years before 1, which need a text field. */
const timeInput = (text: string) =>
  text === "" || /^(?!0000)\d{4}-\d\d-\d\dT/.test(text)
    ? { type: "datetime-local", step: "0.001" }
    : { type: "text" };

/** Doubles a leading line break, because browsers drop the first one in a text area. */
const keepLeadingLine = (text: string): string => /^\r?\n/.test(text) ? `\n${text}` : text;

/** Choice of a value. A stored or entered value that is not permitted is also an option. */
const Select = (
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
