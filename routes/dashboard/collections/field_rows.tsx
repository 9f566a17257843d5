import { FILE_FATES } from "@/lib/documents/fields.ts";
import { FIELD_TYPE_NAMES } from "@/lib/store/field_types.ts";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { Refusal } from "../components/forms.tsx";
import { type Texts, texts } from "../texts/mod.ts";
import { detailOf, type DraftField, type DraftItem, holdsTexts, NEW_ITEM } from "./draft.ts";
import { type Place, within } from "./draft_form.ts";

/** What all rows of a form have in common. */
export interface RowsContext {
  readonly of: "documents" | "users";
  /** What a Ref can point to. */
  readonly targets: readonly string[];
  /** Null while row rules are off. */
  readonly ownerField: string | null;
  readonly canEdit: boolean;
  /** The row that is looked at next; null for none. */
  readonly focus: Place | null;
  readonly refused: { readonly place: Place; readonly problem: Problem } | null;
}

interface RowProps {
  readonly place: Place;
  /** Names on the way to it, as the definition's rules name it. */
  readonly path: string;
  readonly inArray: boolean;
  readonly context: RowsContext;
}

const FieldRows = (
  { fields, place, path, inArray, context }: RowProps & { fields: readonly DraftField[] },
) => {
  if (fields.length === 0) return null;
  return (
    <ul class="fields">
      {fields.map((field, i) => {
        const key = field.key.slice(0, NAME_LENGTH_MAX); // It is repeated in each row within.
        const at = path === "" ? key : `${path}.${key}`;
        return (
          <FieldRow
            field={field}
            place={within(place, i)}
            path={at}
            inArray={inArray}
            context={context}
          />
        );
      })}
    </ul>
  );
};

/** The rows of a form. */
export const AllFieldRows = (
  { fields, context }: { fields: readonly DraftField[]; context: RowsContext },
) => (
  <>
    <FieldRows fields={fields} place="" path="" inArray={false} context={context} />
    <datalist id={TARGETS}>
      {context.targets.map((name) => <option value={name}></option>)}
    </datalist>
  </>
);

/** A row with what its parts say of it. */
interface FieldProps extends RowProps {
  readonly field: DraftField;
  /** As it is called. */
  readonly name: string;
  readonly isOwner: boolean;
}

const isTop = (place: Place): boolean => !place.includes(".");

const FieldRow = ({ field, ...at }: RowProps & { field: DraftField }) => {
  const { place, path, context: { canEdit, refused, ownerField } } = at;
  const t = texts().collections.row;
  const name = field.key === "" ? t.newField : path;
  const isOwner = isTop(place) && ownerField === field.key;
  const row: FieldProps = { ...at, field, name, isOwner };
  return (
    <li>
      <div class="field">
        <KeyInput {...row} />
        <TypeSelect {...at} item={field} label={t.typeOf(name)} isOwner={isOwner} />
        <Flags {...row} />
        <input
          class="default"
          name={`${place}.default`}
          value={field.default}
          aria-label={t.defaultOf(name)}
          placeholder={t.noDefault}
          autocomplete="off"
          spellcheck={false}
        />
        {isOwner && <span class="badge">{t.owner}</span>}
        {canEdit && (
          <button class="link" name="act" value={`remove:${place}`} aria-label={t.removeOf(name)}>
            {t.remove}
          </button>
        )}
      </div>
      {refused?.place === place && <Refusal problem={refused.problem} />}
      <Inside item={field} {...at} />
    </li>
  );
};

/** The name, and where there are documents the one before it, by which their values go along. */
const KeyInput = ({ field, name, place, context: { of, focus, refused } }: FieldProps) => {
  const t = texts().collections.row;
  return (
    <>
      <input
        name={`${place}.key`}
        value={field.key}
        aria-label={t.nameOf(name)}
        placeholder={t.namePlaceholder}
        autocomplete="off"
        spellcheck={false}
        autofocus={focus === place}
        aria-invalid={refused?.place === place ? "true" : undefined}
      />
      {isTop(place) && of === "documents" && field.was !== "" && (
        <input type="hidden" name={`${place}.was`} value={field.was} />
      )}
    </>
  );
};

const Flags = (row: FieldProps) => {
  const { field, name, place, context } = row;
  return (
    <span class="flags">
      <Flag place={place} name="required" isOn={field.required} of={name} />
      {context.of === "documents" && <DocumentFlags {...row} />}
      {context.of === "users" && isTop(place) && (
        <Flag place={place} name="public" isOn={field.public} of={name} />
      )}
    </span>
  );
};

/** What makes sense where there are many documents. */
const DocumentFlags = ({ field, name, isOwner, place, inArray }: FieldProps) => (
  <>
    {isTop(place) && <Flag place={place} name="unique" isOn={field.unique} of={name} />}
    {!inArray && <Flag place={place} name="index" isOn={field.index} of={name} />}
    {!inArray && holdsTexts(field) && (
      <>
        <Flag place={place} name="search" isOn={field.search} of={name} />
        {(!isOwner || field.file !== "") && (
          <FileSelect place={place} fate={field.file} of={name} />
        )}
      </>
    )}
  </>
);

const FileSelect = ({ place, fate, of }: { place: Place; fate: string; of: string }) => {
  const t = texts().collections.row.holds;
  return (
    <select name={`${place}.file`} aria-label={t.of(of)}>
      <option value="" selected={fate === ""}>{t.text}</option>
      {FILE_FATES.map((one) => <option value={one} selected={fate === one}>{t[one]}</option>)}
    </select>
  );
};

interface FlagProps {
  readonly place: Place;
  readonly name: keyof Texts["collections"]["row"]["flags"];
  readonly isOn: boolean;
  readonly of: string;
}

const Flag = ({ place, name, isOn, of }: FlagProps) => {
  const { flags, flagOf } = texts().collections.row;
  return (
    <label>
      <input
        type="checkbox"
        name={`${place}.${name}`}
        aria-label={flagOf(of, flags[name])}
        checked={isOn}
      />
      {flags[name]}
    </label>
  );
};

/** What a type needs to know besides its name; it is asked for once the type is chosen. */
const Inside = ({ item, place, path, inArray, context }: RowProps & { item: DraftItem }) => {
  const { canEdit } = context;
  const t = texts().collections.row;
  if (detailOf(item) === "items") {
    const inner = item.item ?? NEW_ITEM;
    const at = { place: within(place, "i"), path: `${path}.items`, inArray: true, context };
    return (
      <div class="inside">
        <div class="field">
          <span>{t.eachElement}</span>
          <TypeSelect
            item={inner}
            place={at.place}
            label={t.elementsOf(path)}
            isElement
            context={context}
          />
        </div>
        <Inside item={inner} {...at} />
      </div>
    );
  }
  if (detailOf(item) !== "fields") return null;
  return (
    <div class="inside">
      {item.isBare && <input type="hidden" name={`${place}.bare`} value="on" />}
      {item.fields.length === 0 && <small>{item.isBare ? t.noMembers : t.anyMembers}</small>}
      <FieldRows
        fields={item.fields}
        place={place}
        path={path}
        inArray={inArray}
        context={context}
      />
      {canEdit && (
        <button class="link" name="act" value={`add:${place}`} aria-label={t.addTo(path)}>
          {t.add}
        </button>
      )}
    </div>
  );
};

/** A type, what a Ref points to, and a button that appears once the chosen type asks for more. */
const TypeSelect = (
  { item, place, label, isElement = false, isOwner = false, context }: {
    item: DraftItem;
    place: Place;
    label: string;
    isElement?: boolean;
    isOwner?: boolean;
    context: RowsContext;
  },
) => {
  const t = texts().collections.row;
  return (
    <span class="type">
      <select name={`${place}.type`} aria-label={label}>
        {isElement && <option value="" selected={item.type === ""}>{t.anything}</option>}
        {FIELD_TYPE_NAMES.map((type) => (
          <option value={type} selected={item.type === type}>{type}</option>
        ))}
      </select>
      {context.canEdit && (
        <button
          class="quiet details"
          name="act"
          value={`show:${place}`}
          aria-label={t.detailsOf(label)}
        >
          {t.details}
        </button>
      )}
      {detailOf(item) === "ref" && <RefInput item={item} place={place} label={label} />}
      {detailOf(item) === "enum" && (!isOwner || item.enum !== "") && (
        <input
          class="values"
          name={`${place}.enum`}
          value={item.enum}
          aria-label={t.valuesOf(label)}
          title={t.valuesTitle}
          placeholder={t.anyText}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </span>
  );
};

/** What a Ref points to. All rows share one list of names to choose from, which may be long. */
const RefInput = (
  { item: { ref }, place, label }: { item: DraftItem; place: Place; label: string },
) => {
  const t = texts().collections.row;
  return (
    <input
      class="values"
      name={`${place}.ref`}
      value={ref}
      list={TARGETS}
      aria-label={t.toWhichOf(label)}
      placeholder={t.toNone}
      autocomplete="off"
      spellcheck={false}
    />
  );
};

/** The id of that list. */
const TARGETS = "ref-targets";
