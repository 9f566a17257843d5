import type { Definition, FieldShape, Id, StoredRecord } from "./definition.ts";

/** A field of Corbel's own records. @template T The values that it may have. */
export interface Field<T> {
  /** Null for a field that the engine stores without knowing it. */
  readonly shape: FieldShape | null;
  /** Never set: it carries the type. */
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

/** A definition that knows the type of its records. */
export interface RecordKind<Fields> extends Definition {
  /** Never set: it carries the type. */
  readonly record?: Values<Fields>;
}

/** The type of a kind's records. */
export type RecordOf<Kind> = Kind extends RecordKind<infer Fields> ? StoredRecord & Values<Fields>
  : never;

/** Declares a kind of record whose fields stand in one place, for the engine and for the compiler. */
export function recordKind<Fields extends Readonly<Record<string, Field<unknown>>>>(
  { fields, ...kind }: Omit<Definition, "fields"> & { readonly fields: Fields },
): RecordKind<Fields> {
  const shapes: Record<string, FieldShape> = {};
  for (const [name, { shape }] of Object.entries(fields)) if (shape !== null) shapes[name] = shape;
  return { ...kind, fields: shapes };
}

const shaped = <T>(shape: FieldShape): Field<T> => ({ shape });

/** The fields of which kinds are made. */
export const field = {
  text: shaped<string>({ type: "String" }),
  number: shaped<number>({ type: "Number" }),
  flag: shaped<boolean>({ type: "Boolean" }),
  /** ISO 8601 in UTC, with milliseconds. */
  date: shaped<string>({ type: "Date" }),
  /** The id of another record. */
  ref: shaped<Id>({ type: "Ref" }),
  /** One of several texts. */
  textOf: <T extends string>() => shaped<T>({ type: "String" }),
  /** Values of which the type says more than the shape. */
  shaped,
  /** A field that the engine stores without knowing it: nothing filters or sorts by it. */
  undeclared: <T>(): Field<T> => ({ shape: null }),
};

export const nullable = <T>({ shape }: Field<T>): Field<T | null> => ({ shape });

export const optional = <T>({ shape }: Field<T>): OptionalField<T> => ({ shape, isOptional: true });
