import type { Definition, FieldShape, Id, StoredRecord } from "./definition.ts";

/**
 * A field of an internal record kind.
 *
 * @template T The type of its values.
 */
export interface Field<T> {
  /** Null for a field that is stored but not declared to the engine. */
  readonly shape: FieldShape | null;
  /** Never set. Carries the type of the values. */
  readonly value?: T;
}

/** A field that a record may lack. */
export interface OptionalField<T> extends Field<T> {
  readonly isOptional: true;
}

type ValueOf<F> = F extends Field<infer T> ? T : never;

type Values<Fields> =
  & {
    -readonly [
      Name in keyof Fields as Fields[Name] extends OptionalField<unknown> ? never : Name
    ]: ValueOf<Fields[Name]>;
  }
  & {
    -readonly [
      Name in keyof Fields as Fields[Name] extends OptionalField<unknown> ? Name : never
    ]?: ValueOf<Fields[Name]>;
  };

/** A definition that carries the type of its records. */
export interface RecordKind<Fields> extends Definition {
  /** Never set. Carries the type of the records. */
  readonly record?: Values<Fields>;
}

/** The type of a kind's records. */
export type RecordOf<Kind> = Kind extends RecordKind<infer Fields> ? StoredRecord & Values<Fields>
  : never;

/** Declares a record kind: shapes for the engine and a type for the compiler. */
export function recordKind<Fields extends Readonly<Record<string, Field<unknown>>>>(
  { fields, ...kind }: Omit<Definition, "fields"> & { readonly fields: Fields },
): RecordKind<Fields> {
  const shapes: Record<string, FieldShape> = {};
  for (const [name, { shape }] of Object.entries(fields)) if (shape !== null) shapes[name] = shape;
  return { ...kind, fields: shapes };
}

const shaped = <T>(shape: FieldShape): Field<T> => ({ shape });

/** Constructors of the fields of record kinds. */
export const field = {
  text: shaped<string>({ type: "String" }),
  number: shaped<number>({ type: "Number" }),
  flag: shaped<boolean>({ type: "Boolean" }),
  /** A date as ISO 8601 text in UTC with milliseconds. */
  date: shaped<string>({ type: "Date" }),
  /** The id of another record. */
  ref: shaped<Id>({ type: "Ref" }),
  /** A text of a fixed set. */
  oneOf: <T extends string>() => shaped<T>({ type: "String" }),
  /** A field with a type that is more specific than its shape. */
  shaped,
  /** A field that is stored but not declared to the engine, for use without filters and sorts. */
  undeclared: <T>(): Field<T> => ({ shape: null }),
};

export const nullable = <T>({ shape }: Field<T>): Field<T | null> => ({ shape });

export const optional = <T>({ shape }: Field<T>): OptionalField<T> => ({ shape, isOptional: true });
