/**
 * A model of lists by the rules of the API, over plain objects in memory: it reads the parameters,
 * filters, sorts and selects a page. It is written for readability, not for speed, and shares no
 * code with the product: a difference means that one of them misread the rules.
 */
import { meets, type Operator } from "./model_conditions.ts";
import { type Definition, isDeclared, typeAt } from "./model_types.ts";
import {
  compare,
  createRefusal,
  type Document,
  type Json,
  RequestRefused,
  valueAt,
} from "./model_values.ts";
import { fromJson, fromText, OPERATORS } from "./model_operands.ts";

export type Parameter = readonly [name: string, text: string];

/** The caller; `userId` is that of a valid bearer token. */
export type Caller =
  | { readonly kind: "secret" }
  | { readonly kind: "publishable"; readonly userId: string | null };

/** A collection with all its stored documents, including those in the trash. */
export interface StoredCollection {
  readonly definition: Definition;
  readonly documents: readonly Document[];
}

export interface Listing {
  readonly status: 200;
  /** All matches in order, as they are stored. */
  readonly order: readonly Document[];
  readonly limit: number;
  readonly page: number;
  readonly count: boolean;
  readonly total: "exact" | "none" | "estimate";
  /** Returns a document as the query shows it. */
  show(document: Document): Document;
}

export type ListResult = Listing | { readonly status: 400 | 401 };

export function list(
  contents: StoredCollection,
  caller: Caller,
  parameters: readonly Parameter[],
): ListResult {
  const { definition, documents } = contents;
  if (!maySee(definition, caller)) return { status: 401 };
  try {
    const read = readParameters(definition, parameters);
    const order = documents
      .filter((document) => isVisible(definition, document, caller, read.includeDeleted))
      .filter((document) => read.conditions.every((condition) => condition(document)))
      .sort(read.inOrder);
    return { status: 200, order, ...read };
  } catch (error) {
    if (error instanceof RequestRefused) return { status: 400 };
    throw error;
  }
}

/** Returns the documents of the page by number. */
export function pageOf({ order, page, limit, show }: Listing): Document[] {
  return order.slice((page - 1) * limit, page * limit).map(show);
}

function maySee({ rls }: Definition, caller: Caller): boolean {
  return !rls.enabled || rls.mode === "public-read" || caller.kind === "secret" ||
    caller.userId !== null;
}

/** Applies row-level security. Only `include_deleted` affects it, and only for own rows. */
export function isVisible(
  { rls }: Definition,
  document: Document,
  caller: Caller,
  includeDeleted: boolean,
): boolean {
  if (caller.kind === "secret") return includeDeleted || !document.isDeleted;
  const own = rls.enabled && caller.userId !== null && document[rls.ownerField] === caller.userId;
  const readable = !rls.enabled || rls.mode === "public-read" || own;
  return readable && (!document.isDeleted || (includeDeleted && own));
}

type Condition = (document: Document) => boolean;

const RESERVED = new Set([
  ...["page", "limit", "sort", "cursor", "fields", "populate", "expand", "count", "total"],
  ...["include_deleted", "meta", "where", "explain"],
]);

function readParameters(definition: Definition, parameters: readonly Parameter[]) {
  const parameter = (name: string) => {
    const [first, second] = parameters.filter(([key]) => key === name);
    if (second !== undefined) throw createRefusal();
    return first?.[1];
  };
  const total = parameter("total") ?? "exact";
  if (total !== "exact" && total !== "none" && total !== "estimate") throw createRefusal();
  const where = parameter("where");
  return {
    page: positiveInteger(parameter("page") ?? "1", Infinity),
    limit: positiveInteger(parameter("limit") ?? "100", 1000),
    count: readFlag(parameter("count") ?? "false"),
    total: total as Listing["total"],
    includeDeleted: readFlag(parameter("include_deleted") ?? "false"),
    inOrder: sortOrder(definition, parameter("sort") ?? "-createdAt"),
    show: selectMembers(parameter("fields"), readFlag(parameter("meta") ?? "true")),
    conditions: [
      ...readFilters(definition, parameters),
      ...(where === undefined ? [] : [whereConditions(definition, JSON.parse(where))]),
    ],
  };
}

function positiveInteger(text: string, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= 1 && number <= max)) throw createRefusal();
  return number;
}

function readFlag(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") throw createRefusal();
  return lower === "true";
}

/** Reads the conditions. Repeated `_in` and `_nin` are one list. */
function readFilters(definition: Definition, parameters: readonly Parameter[]): Condition[] {
  const conditions: Condition[] = [];
  const lists = new Map<string, { path: string; operator: Operator; texts: string[] }>();
  for (const [name, text] of parameters) {
    if (RESERVED.has(name)) continue;
    const { path, operator } = readName(definition, name);
    if (operator === "in" || operator === "nin") {
      const one = lists.get(name) ?? { path, operator, texts: [] };
      lists.set(name, { ...one, texts: [...one.texts, ...text.split(",")] });
    } else {
      const operand = fromText(typeAt(definition, path), operator, [text]);
      conditions.push((document) => meets(valueAt(document, path), operator, operand));
    }
  }
  for (const { path, operator, texts } of lists.values()) {
    const operand = fromText(typeAt(definition, path), operator, texts);
    conditions.push((document) => meets(valueAt(document, path), operator, operand));
  }
  return conditions;
}

/** Splits a name that is not declared into path and operator by its suffix. */
function readName(definition: Definition, name: string): { path: string; operator: Operator } {
  checkName(name);
  if (typeAt(definition, name) !== null) return { path: name, operator: "eq" };
  const at = name.lastIndexOf("_");
  const [base, suffix] = [name.slice(0, at), name.slice(at + 1)];
  const isOperator = at > 0 && (OPERATORS as readonly string[]).includes(suffix);
  if (!isOperator && at > 0 && typeAt(definition, base) !== null) throw createRefusal(); // UNKNOWN_OPERATOR
  const path = isOperator ? base : name;
  checkPath(definition, path);
  return { path, operator: isOperator ? suffix as Operator : "eq" };
}

const FORBIDDEN = ["__proto__", "constructor", "prototype", ""];

function checkName(path: string): void {
  for (const name of path.split(".")) {
    // `field[$gt]` is how other APIs write operators; names with brackets are refused.
    if (/^\$|[[\]]/.test(name) || FORBIDDEN.includes(name)) throw createRefusal();
  }
}

function checkPath(definition: Definition, path: string): void {
  checkName(path);
  if (definition.strict && !isDeclared(definition, path)) throw createRefusal();
}

/** Reads a `where` tree. The members of an object, and several operators, are joined by and. */
function whereConditions(definition: Definition, node: Json): Condition {
  const conditions = Object.entries(members(node)).map(([name, operand]): Condition => {
    if (name === "and" || name === "or") {
      if (!Array.isArray(operand)) throw createRefusal();
      const inner = operand.map((one) => whereConditions(definition, one));
      return (document) =>
        name === "and" ? inner.every((one) => one(document)) : inner.some((one) => one(document));
    }
    if (name === "not") {
      const inner = whereConditions(definition, operand);
      return (document) => !inner(document);
    }
    return leafCondition(definition, name, operand);
  });
  return (document) => conditions.every((condition) => condition(document));
}

function leafCondition(definition: Definition, path: string, operand: Json): Condition {
  checkPath(definition, path);
  const plain = operand === null || typeof operand !== "object";
  const tests = Object.entries(plain ? { eq: operand } : members(operand));
  const conditions = tests.map(([name, value]): Condition => {
    const operator = name as Operator;
    if (!plain && !(OPERATORS as readonly string[]).includes(name)) throw createRefusal();
    const read = fromJson(typeAt(definition, path), operator, value);
    return (document) => meets(valueAt(document, path), operator, read);
  });
  return (document) => conditions.every((condition) => condition(document));
}

function members(node: Json): { readonly [name: string]: Json } {
  if (node === null || typeof node !== "object" || Array.isArray(node)) throw createRefusal();
  return node;
}

const SORTABLE = ["String", "Number", "Boolean", "Date", "Ref"];

function sortOrder(definition: Definition, text: string): (a: Document, b: Document) => number {
  const keys = text.split(",").map((key) => {
    const [path, direction = key.startsWith("-") ? "desc" : "asc"] = key.replace(/^-/, "")
      .split(":");
    if (direction !== "asc" && direction !== "desc") throw createRefusal();
    const type = typeAt(definition, path!);
    if (type === null || !SORTABLE.includes(type.type) || path === "isDeleted") {
      throw createRefusal();
    }
    return { path: path!, sign: direction === "desc" ? -1 : 1 };
  });
  const withId = [...keys, { path: "_id", sign: keys.at(-1)!.sign }];
  return (a, b) => {
    for (const { path, sign } of withId) {
      const order = compare(valueAt(a, path), valueAt(b, path));
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

const META = ["createdAt", "updatedAt", "isDeleted", "deletedAt"];

/** Reads `fields`, which names members at the top level; `_id` always stays. */
function selectMembers(
  fields: string | undefined,
  meta: boolean,
): (document: Document) => Document {
  const names = fields?.split(",") ?? [];
  const left = names.filter((name) => name.startsWith("-")).map((name) => name.slice(1));
  if (left.length > 0 && left.length < names.length) throw createRefusal();
  return (document) => {
    const kept = Object.entries(document).filter(([name]) =>
      name === "_id" ||
      ((meta || !META.includes(name)) && !left.includes(name) &&
        (fields === undefined || left.length > 0 || names.includes(name)))
    );
    return Object.fromEntries(kept) as Document;
  };
}
