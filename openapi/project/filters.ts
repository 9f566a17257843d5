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

/** A path that can be filtered by, and what its values are compared as; null for anything. */
export interface Filterable {
  readonly path: string;
  readonly kind: Kind;
  /** Whether it holds several of them. */
  readonly isList: boolean;
}

type Kind = ScalarType | "Object" | "Anything";
type Operator = (typeof FIELD_TYPES)[ScalarType]["operators"][number];

/** A text is how any value can be asked for. */
const [TEXT] = scalarTypesWith(({ isText }) => isText === true) as [ScalarType]; // There is one.

const KINDS: readonly Kind[] = [...SCALARS, "Object", "Anything"];

/** Operators that make sense for what is compared. */
function operatorsOf(kind: Kind): readonly Operator[] {
  if (kind === "Object") return ["exists"];
  return FIELD_TYPES[kind === "Anything" ? TEXT : kind].operators;
}

/** What every document has besides the declared fields. */
const SERVER_FILTERABLES: readonly Filterable[] = [
  { path: "_id", kind: kindOf({ type: "Ref" }), isList: false },
  ...Object.entries(SERVER_SHAPES).map(([path, shape]) => ({
    path,
    kind: kindOf(shape),
    isList: false,
  })),
];

/** Everything that is declared, members of objects by their dotted paths. */
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

interface Typed {
  readonly type: FieldType;
  readonly items?: Typed;
}

/** Elements of arrays are compared, not arrays. */
function kindOf({ type, items }: Typed): Kind {
  if (isScalarType(type)) return type;
  if (FIELD_TYPES[type].holds === "members") return "Object";
  return items === undefined ? "Anything" : kindOf(items);
}

const compared = (kind: Kind): JsonSchema =>
  kind === "Anything" || kind === "Object" ? {} : FIELD_TYPES[kind].schema;

const PATTERN: JsonSchema = { type: "string", minLength: 1, maxLength: LITERAL_LENGTH_MAX };

/** What an operator takes. @param value What its operand is compared with. */
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

/** A parameter that filters by a path, such as `views_gt`. */
export interface FilterParameter {
  /** The name of its component: parameters of one name and type are one in all collections. */
  readonly component: string;
  readonly operator: Operator;
  readonly parameter: Omit<Parameter, "required" | "description" | "schema"> & {
    readonly schema: JsonSchema;
  };
}

/** The parameters that filter by a path: `views`, `views_gt`, `views_in`. */
const parametersOf = ({ path, kind }: Filterable): FilterParameter[] =>
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

/** The name of the schema of what an operator is given in an address: `NumberGt`. */
const operandName = (kind: Kind, operator: Operator): string =>
  // A text in an address may mean any value, and what is there is asked of all kinds alike.
  (operator === "exists" ? "Any" : kind === "Anything" || kind === "Object" ? TEXT : kind) +
  operator[0]!.toUpperCase() + operator.slice(1);

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

/** What the parameters that filter are given. */
export const OPERANDS: Components = Object.fromEntries(
  SCALARS.flatMap((kind) =>
    operatorsOf(kind).map((operator) => [operandName(kind, operator), {
      ...operandSchema(operator, compared(kind), false),
      description: MEANING[operator],
    }])
  ),
);

/** Operators by how often they are needed: where not all have a parameter, the first have. */
const BY_USE: readonly Operator[] = [
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

/**
 * The filters of a collection as parameters of their own; `where` and `filter` take all others. Where
 * they are more than `max`, every path has its first operators.
 */
export function filterParameters(
  definition: CollectionDefinition,
  max: number,
): FilterParameter[] {
  const declared = new Set(definition.fields.map(({ key }) => key));
  const byName = new Map<string, FilterParameter>();
  for (const filterable of filterablesOf(definition)) {
    for (const one of parametersOf(filterable)) {
      const { name } = one.parameter;
      // A declared name is itself, also where it ends as an operator does.
      const isOther = name !== filterable.path && declared.has(name);
      if (!isReserved(name) && !isOther && !byName.has(name)) byName.set(name, one);
    }
  }
  const all = [...byName.values()];
  if (all.length <= max) return all;
  const rankOf = ({ operator }: FilterParameter): number => BY_USE.indexOf(operator);
  const first = new Set(all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, max));
  return all.filter((one) => first.has(one));
}

const conditionName = (kind: Kind): string => `${kind}Condition`;

/** What `where` asks of a value of each kind. */
export const CONDITIONS: Components = Object.fromEntries(
  KINDS.map((kind) => {
    const operands = operatorsOf(kind).map((operator) =>
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

const filterName = (kind: Kind): string => `${kind}Filter`;

/** A value that a member equals, or what else is asked of it. */
export const FILTERS: Components = Object.fromEntries(
  KINDS.filter((kind) => kind !== "Object").map((kind) => {
    const value = kind === "Anything"
      ? { type: ["string", "number", "boolean", "null"] }
      : orNull(compared(kind));
    return [filterName(kind), anyOf(value, refTo(conditionName(kind)))];
  }),
);

const filterOf = (kind: Kind): JsonSchema =>
  refTo(kind === "Object" ? conditionName(kind) : filterName(kind));

const COMBINING = ["and", "or", "not"];

/** The tree that `where` takes. @param name The schema's own name, since it nests. */
export function whereSchema(definition: CollectionDefinition, name: string): JsonSchema {
  const branches: JsonSchema = { type: "array", items: refTo(name), minItems: 1 };
  const paths = filterablesOf(definition)
    .filter(({ path }) => !COMBINING.includes(path))
    .map(({ path, kind }) => [path, filterOf(kind)]);
  return objectOf(
    { and: branches, or: branches, not: refTo(name), ...Object.fromEntries(paths) },
    {
      isClosed: definition.strict,
      description: `Conditions that must all hold: ${WHERE_CONDITIONS_MAX} at most.`,
    },
  );
}
