import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import { SERVER_FIELDS } from "@/lib/documents/names.ts";
import { suffixOf } from "@/lib/documents/operands.ts";
import { isReserved } from "@/lib/documents/reserved_parameters.ts";
import {
  IN_VALUES_MAX,
  LITERAL_LENGTH_MAX,
  PATH_LENGTH_MAX,
  WHERE_CONDITIONS_MAX,
} from "@/lib/limits.ts";
import type { Parameter } from "../contract.ts";
import { isScalar, SCALARS } from "./field_schemas.ts";
import { anyOf, type Components, type JsonSchema, objectOf, orNull, refTo } from "./json_schema.ts";

/** A path that can be filtered by, and what its values are compared as; null for anything. */
export interface Filterable {
  readonly path: string;
  readonly kind: Kind;
  /** Whether it holds several of them. */
  readonly isList: boolean;
}

type Kind = keyof typeof SCALARS | "Object" | "Anything";

const SERVER_KINDS: Readonly<Record<(typeof SERVER_FIELDS)[number], Kind>> = {
  _id: "Ref",
  createdAt: "Date",
  updatedAt: "Date",
  isDeleted: "Boolean",
  deletedAt: "Date",
};

const EQUALITY = ["eq", "ne", "in", "nin", "exists"] as const;
const ORDER = ["gt", "gte", "lt", "lte"] as const;
const TEXT = ["regex", "contains", "startsWith"] as const;

type Operator = (typeof EQUALITY | typeof ORDER | typeof TEXT)[number];

/** Operators that make sense for what is compared. */
const OPERATORS: Readonly<Record<Kind, readonly Operator[]>> = {
  String: [...EQUALITY, ...ORDER, ...TEXT],
  Number: [...EQUALITY, ...ORDER],
  Date: [...EQUALITY, ...ORDER],
  Boolean: EQUALITY,
  Ref: EQUALITY,
  Object: ["exists"],
  Anything: [...EQUALITY, ...ORDER, ...TEXT],
};

/** What every document has beside the declared fields. */
const ofServer = (path: keyof typeof SERVER_KINDS): Filterable => ({
  path,
  kind: SERVER_KINDS[path],
  isList: false,
});

/** Everything that is declared, members of objects by their dotted paths. */
export const filterablesOf = ({ fields }: CollectionDefinition): Filterable[] => [
  ...fields.flatMap((field) => filterablesIn(field, "")),
  ...SERVER_FIELDS.map(ofServer),
];

function filterablesIn(field: FieldDefinition, at: string): Filterable[] {
  const path = at + field.key;
  if (path.length > PATH_LENGTH_MAX) return [];
  const inside = (field.fields ?? []).flatMap((one) => filterablesIn(one, `${path}.`));
  return [{ path, kind: kindOf(field), isList: field.type === "Array" }, ...inside];
}

/** Elements of arrays are compared, not arrays. */
function kindOf({ type, items }: ItemDefinition): Kind {
  if (isScalar(type) || type === "Object") return type;
  return items === undefined ? "Anything" : kindOf(items);
}

const compared = (kind: Kind): JsonSchema =>
  kind === "Anything" || kind === "Object" ? {} : SCALARS[kind];

const PATTERN: JsonSchema = { type: "string", minLength: 1, maxLength: LITERAL_LENGTH_MAX };

/** What an operator takes. @param value What its operand is compared with. */
function operandSchema(operator: Operator, value: JsonSchema, canBeNull: boolean): JsonSchema {
  switch (operator) {
    case "exists":
      return SCALARS.Boolean;
    case "regex":
    case "contains":
    case "startsWith":
      return PATTERN;
    case "in":
    case "nin": {
      const items = canBeNull ? orNull(value) : value;
      return { type: "array", items, maxItems: IN_VALUES_MAX };
    }
    case "eq":
    case "ne":
      return canBeNull ? orNull(value) : value;
    default:
      return value;
  }
}

/** The parameters that filter by a path: `views`, `views_gt`, `views_in`. */
function parametersOf({ path, kind }: Filterable): Parameter[] {
  // A text in an address may mean any value.
  const value = kind === "Anything" ? SCALARS.String : compared(kind);
  return OPERATORS[kind].map((operator): Parameter => {
    const isList = operator === "in" || operator === "nin";
    return {
      name: operator === "eq" ? path : `${path}_${suffixOf(operator)}`,
      in: "query",
      required: false,
      description: MEANING[operator],
      schema: { ...operandSchema(operator, value, false) },
      ...(isList && { style: "form", explode: false }),
    };
  });
}

const MEANING: Readonly<Record<Operator, string>> = {
  eq: "Equal to this; of an array, one element is.",
  ne: "Not equal to this, or missing; of an array, no element is.",
  in: "Equal to one of these, comma-separated.",
  nin: "Equal to none of these, comma-separated, or missing.",
  exists: "Whether the member is there, also if it holds null.",
  gt: "Greater than this.",
  gte: "Greater than this, or equal.",
  lt: "Less than this.",
  lte: "Less than this, or equal.",
  regex: "Matches this RE2 pattern, in any letter case.",
  contains: "Has this text in it, in any letter case.",
  startsWith: "Begins with this text, in any letter case.",
};

/**
 * The filters of a collection as parameters of their own. A path comes with all of its operators, or
 * is left to `filter` where they are too many.
 */
export function filterParameters(definition: CollectionDefinition, max: number): Parameter[] {
  const declared = new Set(definition.fields.map(({ key }) => key));
  const byName = new Map<string, Parameter>();
  for (const filterable of filterablesOf(definition)) {
    const own = parametersOf(filterable)
      .filter(({ name }) => !isReserved(name) && !byName.has(name))
      // A declared name is itself, also where it ends as an operator does.
      .filter(({ name }) => name === filterable.path || !declared.has(name));
    if (byName.size + own.length > max) break;
    for (const parameter of own) byName.set(parameter.name, parameter);
  }
  return [...byName.values()];
}

const conditionName = (kind: Kind): string => `${kind}Condition`;

/** What `where` asks of a value of each kind. */
export const CONDITIONS: Components = Object.fromEntries(
  (Object.keys(OPERATORS) as Kind[]).map((kind) => {
    const operands = OPERATORS[kind].map((operator) =>
      [operator, operandSchema(operator, compared(kind), true)] as const
    );
    return [conditionName(kind), {
      ...objectOf(Object.fromEntries(operands), {
        isClosed: true,
        description: "What is asked of a member: all of it must hold.",
      }),
      minProperties: 1,
    }];
  }),
);

/** A value that a member equals, or what else is asked of it. */
function operandOrCondition(kind: Kind): JsonSchema {
  const condition = refTo(conditionName(kind));
  if (kind === "Object") return condition;
  return kind === "Anything"
    ? anyOf({ type: ["string", "number", "boolean", "null"] }, condition)
    : anyOf(orNull(SCALARS[kind]), condition);
}

const COMBINING = ["and", "or", "not"];

/** The tree that `where` takes. @param name The schema's own name, since it nests. */
export function whereSchema(definition: CollectionDefinition, name: string): JsonSchema {
  const branches: JsonSchema = { type: "array", items: refTo(name), minItems: 1 };
  const paths = filterablesOf(definition)
    .filter(({ path }) => !COMBINING.includes(path))
    .map(({ path, kind }) => [path, operandOrCondition(kind)]);
  return objectOf(
    { and: branches, or: branches, not: refTo(name), ...Object.fromEntries(paths) },
    {
      isClosed: definition.strict,
      description: `Conditions that must all hold: ${WHERE_CONDITIONS_MAX} at most.`,
    },
  );
}
