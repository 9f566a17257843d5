import fc from "fast-check";
import { faults } from "../support/server_faults.ts";
import type { Definition } from "./model_types.ts";
import type { Json } from "./model_values.ts";
import type { Members } from "./collections.ts";

export const SERVER = ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt"];

/** Texts that can be stored: without U+0000 and without half a surrogate pair. */
const text = fc.string({ unit: "binary", maxLength: 12 })
  .map((text) => text.replaceAll("\0", ""));

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(-0, 0, 2 ** 53, 2 ** 53 + 2, 2 ** 63, -(2 ** 63), 2 ** 64, 1e21, 1e-7),
  fc.constant(faults.misplacesTiny === null ? 5e-324 : 0.1),
);

/** Returns whether a text is valid as a name; the caller trims it. */
function isName(name: string): boolean {
  return name !== "" && !/^\$|[.\p{Cc}\p{Cf}]/u.test(name) &&
    !["__proto__", "constructor", "prototype"].includes(name);
}

const name = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).map((text) => text.trim())
    .filter(isName),
  fc.constantFrom(
    ...["toString", "hasOwnProperty", "__defineGetter__", "length", "0", "-1", "a b", "é", "😀"],
    ...[
      "'",
      '"',
      'a"',
      "\\",
      "`",
      "[",
      "]",
      "[0]",
      "*",
      "?",
      "%00",
      "\\u0000",
      "a$",
      "then",
      "toJSON",
      "toBSON",
      "_bsontype",
    ],
  ),
);

const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    { arbitrary: number, weight: 3 },
    { arbitrary: text, weight: 3 },
    { arbitrary: fc.constantFrom(true, false, null), weight: 1 },
    { arbitrary: fc.array(tie("value"), { maxLength: 4 }), weight: 2 },
    {
      arbitrary: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      weight: 2,
    },
  ),
})).value;

/** Values with the maximum nesting: a document is the first of 20 levels. */
const nested = fc.tuple(value, fc.array(fc.boolean(), { maxLength: 14 })).map(([inner, levels]) =>
  levels.reduce<Json>((within, inArray) => inArray ? [within] : { within }, inner)
);

/** Members of any name and value that a document may have. */
export const open: fc.Arbitrary<Members> = fc.dictionary(
  name.filter((name) => !SERVER.includes(name)),
  fc.oneof(value, nested),
  { maxKeys: 5, noNullPrototype: true },
);

/** Returns the members that may be added to the declared ones. */
export function undeclaredMembers({ fields, rls, strict }: Definition, members: Members): Members {
  const isFree = (name: string) =>
    name !== rls.ownerField && !fields.some(({ key }) => key === name);
  return strict ? {} : Object.fromEntries(Object.entries(members).filter(([name]) => isFree(name)));
}
