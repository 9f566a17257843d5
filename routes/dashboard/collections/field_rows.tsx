import { FILE_FATES } from "@/lib/documents/fields.ts";
import { FIELD_TYPE_NAMES } from "@/lib/store/field_types.ts";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { Refusal } from "../components/forms.tsx";
import { type Texts, texts } from "../texts/mod.ts";
import { detailOf, type DraftField, type DraftItem, hasTexts, NEW_ITEM } from "./draft.ts";
import { placeIn, type RowPlace } from "./draft_form.ts";

export interface RowsContext {
  readonly of: "documents" | "users";
  /** Names of collections to which a Ref can refer. */
  readonly targets: readonly string[];
  /** Name of the owner field, or null while row rules are off. */
  readonly ownerField: string | null;
  readonly canEdit: boolean;
  /** Place of the row that gets the focus, or null. */
  readonly focus: RowPlace | null;
  readonly refused: { readonly place: RowPlace; readonly problem: Problem } | null;
}

interface RowProps {
  readonly place: RowPlace;
  /** Path of names, as in the faults of definitions. */
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
        const key = field.key.slice(0, NAME_LENGTH_MAX); // Nested rows repeat the name.
        const at = path === "" ? key : `${path}.${key}`;
        return (
          <FieldRow
            field={field}
            place={placeIn(place, i)}
            path={at}
            inArray={inArray}
            context={context}
          />
        );
      })}
    </ul>
  );
};

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

interface FieldProps extends RowProps {
  readonly field: DraftField;
  readonly name: string;
  readonly isOwner: boolean;
}

const isTop = (place: RowPlace): boolean => !place.includes(".");

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
      <NestedRows item={field} {...at} />
    </li>
  );
};

/** The field's name, and for documents the stored name, so that a rename keeps their values. */
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

/** Flags that only fields of documents have. */
const DocumentFlags = ({ field, name, isOwner, place, inArray }: FieldProps) => (
  <>
    {isTop(place) && <Flag place={place} name="unique" isOn={field.unique} of={name} />}
    {!inArray && <Flag place={place} name="index" isOn={field.index} of={name} />}
    {!inArray && hasTexts(field) && (
      <>
        <Flag place={place} name="search" isOn={field.search} of={name} />
        {(!isOwner || field.file !== "") && (
          <FileSelect place={place} fate={field.file} of={name} />
        )}
      </>
    )}
  </>
);

const FileSelect = ({ place, fate, of }: { place: RowPlace; fate: string; of: string }) => {
  const t = texts().collections.row.holds;
  return (
    <select name={`${place}.file`} aria-label={t.of(of)}>
      <option value="" selected={fate === ""}>{t.text}</option>
      {FILE_FATES.map((one) => <option value={one} selected={fate === one}>{t[one]}</option>)}
    </select>
  );
};

interface FlagProps {
  readonly place: RowPlace;
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

/** Rows for the members of an Object or the elements of an Array. */
const NestedRows = ({ item, place, path, inArray, context }: RowProps & { item: DraftItem }) => {
  const { canEdit } = context;
  const t = texts().collections.row;
  if (detailOf(item) === "items") {
    const inner = item.item ?? NEW_ITEM;
    const at = { place: placeIn(place, "i"), path: `${path}.items`, inArray: true, context };
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
        <NestedRows item={inner} {...at} />
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

/** Choice of a type, its details, and a button that shows those of a newly chosen type. */
const TypeSelect = (
  { item, place, label, isElement = false, isOwner = false, context }: {
    item: DraftItem;
    place: RowPlace;
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

/** Target of a Ref. All rows share one list of names, because it may be long. */
const RefInput = (
  { item: { ref }, place, label }: { item: DraftItem; place: RowPlace; label: string },
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

const TARGETS = "ref-targets";
