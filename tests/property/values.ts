/** Values of documents and filters: few of each kind, which makes equal values frequent. */
import fc from "fast-check";
import type { Item } from "./model_types.ts";
import type { Json, Scalar } from "./model_values.ts";
import { faults } from "../support/server_faults.ts";

/** The first values, which makes equal ones frequent, three times as often as the others. */
const mostly = <T>(often: readonly T[], seldom: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...often), weight: 3 },
    { arbitrary: fc.constantFrom(...seldom), weight: 1 },
  );

/** Texts that sort differently in UTF-16, change with letter case, or look like other types. */
export const text: fc.Arbitrary<string> = mostly(
  ["a", "A", "b", "é", "\u{FF5E}", "😀", "1", "true", "null"],
  [
    ...["", "ab", "a b", "a\nb", "É", "e\u0301", "ß", "a😀", "K", "\u212a", "\u017f"],
    ...["10", "-0", "1.0", "1e3", "01", "false", "9007199254740993", "1e400"],
    ...["%", "a_b", "'", '"', "\\", "]", "2026-01-31", "[1]", '{"x":1}'],
  ],
);

const EXTREMES = [5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308];

export const number: fc.Arbitrary<number> = mostly(
  [0, -0, 1, -1, 1.5, 2 ** 53, 2 ** 62],
  [
    ...[2, 10, 0.1, 0.30000000000000004, 1000, 123456789.125, 1e21, 2 ** 53 - 1, 2 ** 53 + 2],
    // JSON writes integral doubles up to 1e21 in full, with digits that differ from the exact
    // value.
    ...[-(2 ** 53), 2 ** 62 + 1024, -(2 ** 62), 2 ** 63, -(2 ** 63), 2 ** 64],
    ...faults.misplacesTiny === null ? EXTREMES : [],
  ],
);

export const date: fc.Arbitrary<string> = fc.constantFrom(
  ...["0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"],
  ...["2024-02-29T12:00:00.000Z", "2026-01-31T11:59:59.999Z", "2026-01-31T12:00:00.000Z"],
  "9999-12-31T23:59:59.999Z",
);

export const id: fc.Arbitrary<string> = fc.constantFrom(
  ...["0".repeat(24), "00000000000000000000000a", "66f1a0c2e4b0a1b2c3d4e5f6", "f".repeat(24)],
);

export const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { arbitrary: text, weight: 3 },
  { arbitrary: number, weight: 3 },
  { arbitrary: fc.boolean(), weight: 2 },
  { arbitrary: fc.constant(null), weight: 1 },
);

/** Undeclared names, including some that break naive paths or statements. */
export const UNDECLARED = [
  ...["u", "v", "u_v", "ü x", "u-1", "0", "n_x", "z_in", "sort", "rowid2", "toString"],
  ...['q"q', "q'q", "q\\", "[0]", "#", "*", "q`", "😀", "a;b", "?", "%41", "u&v=w", "x+y"],
];

const undeclaredName = fc.constantFrom(...UNDECLARED);

/** Any value of an undeclared field. */
export const anything: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 2 },
    {
      arbitrary: fc.dictionary(fc.oneof(fc.constantFrom("x", "y"), undeclaredName), tie("value"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      weight: 2,
    },
  ),
})).value;

/** A value that fits a declared field, as it is stored. */
export function fitting(item: Item | null): fc.Arbitrary<Json> {
  switch (item?.type) {
    case "String":
      return text;
    case "Number":
      return number;
    case "Boolean":
      return fc.boolean();
    case "Date":
      return date;
    case "Ref":
      return id;
    case "Array":
      return fc.array(orNull(fitting(item.items ?? null)), { maxLength: 3 });
    case "Object": {
      if (item.fields === undefined) {
        return fc.dictionary(fc.constantFrom("x", "y", "u"), anything, {
          maxKeys: 3,
          noNullPrototype: true,
        });
      }
      return some(item.fields.map((field) => [field.key, orNull(fitting(field))]));
    }
    default:
      return anything;
  }
}

export const orNull = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ arbitrary: value, weight: 7 }, { arbitrary: fc.constant(null), weight: 1 });

/** An object with some of the members. */
export const some = (
  members: readonly (readonly [name: string, value: fc.Arbitrary<Json>])[],
): fc.Arbitrary<{ [name: string]: Json }> =>
  fc.tuple(
    ...members.map(([name, value]) => fc.option(value.map((one) => [name, one] as const))),
  ).map((given) => Object.fromEntries(given.filter((one) => one !== null)));
