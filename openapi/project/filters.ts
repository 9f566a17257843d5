import { SERVER_SHAPES } from "@/lib/documents/collection.ts";
import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import { suffixOf } from "@/lib/documents/operands.ts";
import { isReserved } from "@/lib/documents/reserved_parameters.ts";
import {
  IN_VALUES_MAX,
  LITERAL_LENGTH_MAX,
  PATH_LENGTH_MAX,
  WHERE_CONDITIONS_MAX,
} from "@/lib/limits.ts";
import { FIELD_TYPES, type FieldType, type ScalarType } from "@/lib/store/field_types.ts";
import { isScalarType, scalarTypesWith } from "@/lib/store/shape.ts";
import type { Parameter } from "../contract.ts";
import { SCALARS } from "./field_schemas.ts";
import { anyOf, type Components, type JsonSchema, objectOf, orNull, refTo } from "./json_schema.ts";

export interface Filterable {
  readonly path: string;
  readonly kind: ValueKind;
  readonly isList: boolean;
}

type ValueKind = ScalarType | "Object" | "Anything";
type Operator = (typeof FIELD_TYPES)[ScalarType]["operators"][number];

/** The text type, with which any value can be compared. */
const [TEXT] = scalarTypesWith(({ isText }) => isText === true) as [ScalarType]; // It is unique.

const KINDS: readonly ValueKind[] = [...SCALARS, "Object", "Anything"];

function operatorsOf(kind: ValueKind): readonly Operator[] {
  if (kind === "Object") return ["exists"];
  return FIELD_TYPES[kind === "Anything" ? TEXT : kind].operators;
}

/** Members of every document in addition to declared fields. */
const SERVER_FILTERABLES: readonly Filterable[] = [
  { path: "_id", kind: kindOf({ type: "Ref" }), isList: false },
  ...Object.entries(SERVER_SHAPES).map(([path, shape]) => ({
    path,
    kind: kindOf(shape),
    isList: false,
  })),
];

/** Returns all declared paths, including dotted paths into objects, and the server's own. */
export const filterablesOf = ({ fields }: CollectionDefinition): Filterable[] => [
  ...fields.flatMap((field) => filterablesIn(field, "")),
  ...SERVER_FILTERABLES,
];

function filterablesIn(field: FieldDefinition, at: string): Filterable[] {
  const path = at + field.key;
  if (path.length > PATH_LENGTH_MAX) return [];
  const inside = (field.fields ?? []).flatMap((one) => filterablesIn(one, `${path}.`));
  return [
    { path, kind: kindOf(field), isList: FIELD_TYPES[field.type].holds === "elements" },
    ...inside,
  ];
}

interface TypedValue {
  readonly type: FieldType;
  readonly items?: TypedValue;
}

/** Returns the kind of a value; for an array the kind of its elements, which filters compare. */
function kindOf({ type, items }: TypedValue): ValueKind {
  if (isScalarType(type)) return type;
  if (FIELD_TYPES[type].holds === "members") return "Object";
  return items === undefined ? "Anything" : kindOf(items);
}

const comparedSchema = (kind: ValueKind): JsonSchema =>
  kind === "Anything" || kind === "Object" ? {} : FIELD_TYPES[kind].schema;

const PATTERN: JsonSchema = { type: "string", minLength: 1, maxLength: LITERAL_LENGTH_MAX };

/** Returns the schema of an operand. @param value Schema of the compared value. */
function operandSchema(operator: Operator, value: JsonSchema, canBeNull: boolean): JsonSchema {
  switch (operator) {
    case "exists":
      return FIELD_TYPES.Boolean.schema;
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

export interface FilterParameter {
  /** Component name. Collections share parameters of the same name and type. */
  readonly component: string;
  readonly operator: Operator;
  readonly parameter: Omit<Parameter, "required" | "description" | "schema"> & {
    readonly schema: JsonSchema;
  };
}

/** Returns the parameters that filter by a path: `views`, `views_gt`, `views_in`. */
const parametersForPath = ({ path, kind }: Filterable): FilterParameter[] =>
  operatorsOf(kind).map((operator) => {
    const name = operator === "eq" ? path : `${path}_${suffixOf(operator)}`;
    const operand = operandName(kind, operator);
    const isList = operator === "in" || operator === "nin";
    return {
      component: `${name}.${operand}`,
      operator,
      parameter: {
        name,
        in: "query",
        schema: refTo(operand),
        ...(isList && { style: "form", explode: false }),
      },
    };
  });

/** Returns the schema name of an operand in an address: `NumberGt`. */
const operandName = (kind: ValueKind, operator: Operator): string =>
  // A text in an address can mean any value, and `exists` is the same for all kinds.
  (operator === "exists" ? "Any" : kind === "Anything" || kind === "Object" ? TEXT : kind) +
  operator[0]!.toUpperCase() + operator.slice(1);

const MEANING: Readonly<Record<Operator, string>> = {
  eq: "Equal to this value; for an array, an element is.",
  ne: "Not equal to this value, or missing; for an array, no element is equal.",
  in: "Equal to one of these values, comma-separated.",
  nin: "Equal to none of these values, comma-separated, or missing.",
  exists: "Whether the member is present, even if it is null.",
  gt: "Greater than this value.",
  gte: "Greater than or equal to this value.",
  lt: "Less than this value.",
  lte: "Less than or equal to this value.",
  regex: "Matches this RE2 pattern, in any letter case.",
  contains: "Contains this text, in any letter case.",
  startsWith: "Begins with this text, in any letter case.",
};

export const OPERANDS: Components = Object.fromEntries(
  SCALARS.flatMap((kind) =>
    operatorsOf(kind).map((operator) => [operandName(kind, operator), {
      ...operandSchema(operator, comparedSchema(kind), false),
      description: MEANING[operator],
    }])
  ),
);

/** Operators, most useful first. If not all get a parameter, the first ones do. */
const OPERATORS_BY_USE: readonly Operator[] = [
  "eq",
  "gte",
  "lt",
  "in",
  "gt",
  "lte",
  "contains",
  "exists",
  "ne",
  "startsWith",
  "nin",
  "regex",
];

/** Returns at most `max` filter parameters, the most useful operators of each path first. */
export function filterParameters(
  definition: CollectionDefinition,
  max: number,
): FilterParameter[] {
  const declared = new Set(definition.fields.map(({ key }) => key));
  const byName = new Map<string, FilterParameter>();
  for (const filterable of filterablesOf(definition)) {
    for (const one of parametersForPath(filterable)) {
      const { name } = one.parameter;
      // A declared name that ends like an operator is still the name of a field.
      const isOther = name !== filterable.path && declared.has(name);
      if (!isReserved(name) && !isOther && !byName.has(name)) byName.set(name, one);
    }
  }
  const all = [...byName.values()];
  if (all.length <= max) return all;
  const rankOf = ({ operator }: FilterParameter): number => OPERATORS_BY_USE.indexOf(operator);
  const first = new Set(all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, max));
  return all.filter((one) => first.has(one));
}

const conditionName = (kind: ValueKind): string => `${kind}Condition`;

export const CONDITIONS: Components = Object.fromEntries(
  KINDS.map((kind) => {
    const operands = operatorsOf(kind).map((operator) =>
      [operator, operandSchema(operator, comparedSchema(kind), true)] as const
    );
    return [conditionName(kind), {
      ...objectOf(Object.fromEntries(operands), {
        isClosed: true,
        description: "Conditions on a member, all of which must match.",
      }),
      minProperties: 1,
    }];
  }),
);

const filterName = (kind: ValueKind): string => `${kind}Filter`;

/** Schemas of a member in `where`: a value that it equals, or conditions. */
export const FILTERS: Components = Object.fromEntries(
  KINDS.filter((kind) => kind !== "Object").map((kind) => {
    const value = kind === "Anything"
      ? { type: ["string", "number", "boolean", "null"] }
      : orNull(comparedSchema(kind));
    return [filterName(kind), anyOf(value, refTo(conditionName(kind)))];
  }),
);

const filterOf = (kind: ValueKind): JsonSchema =>
  refTo(kind === "Object" ? conditionName(kind) : filterName(kind));

const COMBINATORS = ["and", "or", "not"];

/** Returns the schema of `where`. @param name Name of this schema, which refers to itself. */
export function whereSchema(definition: CollectionDefinition, name: string): JsonSchema {
  const branches: JsonSchema = { type: "array", items: refTo(name), minItems: 1 };
  const paths = filterablesOf(definition)
    .filter(({ path }) => !COMBINATORS.includes(path))
    .map(({ path, kind }) => [path, filterOf(kind)]);
  return objectOf(
    { and: branches, or: branches, not: refTo(name), ...Object.fromEntries(paths) },
    {
      isClosed: definition.strict,
      description: `Conditions that must all match: ${WHERE_CONDITIONS_MAX} at most.`,
    },
  );
}
