/**
 * Listing as the wire rules tell it, over plain objects in memory: read the parameters, keep what
 * matches, sort, cut a page. It is written for the reader, not for speed, and shares nothing with
 * the product: where the two differ, one of them misread the rules.
 */
import { meets, type Operator } from "./model_conditions.ts";
import { type Definition, isDeclared, typeAt } from "./model_types.ts";
import { compare, type Document, type Json, refuse, Refused, valueAt } from "./model_values.ts";
import { fromJson, fromText, OPERATORS } from "./model_operands.ts";

/** A query parameter as it stands in the address, decoded. */
export type Parameter = readonly [name: string, text: string];

/** Who asks; `userId` is that of a valid bearer token. */
export type Caller =
  | { readonly kind: "secret" }
  | { readonly kind: "publishable"; readonly userId: string | null };

/** A collection with all its documents as they are stored, those in the trash included. */
export interface StoredCollection {
  readonly definition: Definition;
  readonly documents: readonly Document[];
}

export interface Listing {
  readonly status: 200;
  /** Every match, in order, as it is stored. */
  readonly order: readonly Document[];
  readonly limit: number;
  readonly page: number;
  /** Whether only the number was asked for. */
  readonly count: boolean;
  readonly total: "exact" | "none" | "estimate";
  /** A document as this query shows it. */
  show(document: Document): Document;
}

export type Outcome = Listing | { readonly status: 400 | 401 };

/** What the rules say of a request for a list. */
export function list(
  contents: StoredCollection,
  caller: Caller,
  parameters: readonly Parameter[],
): Outcome {
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
    if (error instanceof Refused) return { status: 400 };
    throw error;
  }
}

/** The documents of the page by number. */
export function pageOf({ order, page, limit, show }: Listing): Document[] {
  return order.slice((page - 1) * limit, page * limit).map(show);
}

function maySee({ rls }: Definition, caller: Caller): boolean {
  return !rls.enabled || rls.mode === "public-read" || caller.kind === "secret" ||
    caller.userId !== null;
}

/** Row-level security: no parameter but `include_deleted` has a say, and that only for own rows. */
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
  const given = (name: string) => {
    const [first, second] = parameters.filter(([key]) => key === name);
    if (second !== undefined) throw refuse();
    return first?.[1];
  };
  const total = given("total") ?? "exact";
  if (total !== "exact" && total !== "none" && total !== "estimate") throw refuse();
  const where = given("where");
  return {
    page: wholeNumber(given("page") ?? "1", Infinity),
    limit: wholeNumber(given("limit") ?? "100", 1000),
    count: flag(given("count") ?? "false"),
    total: total as Listing["total"],
    includeDeleted: flag(given("include_deleted") ?? "false"),
    inOrder: sorting(definition, given("sort") ?? "-createdAt"),
    show: showing(given("fields"), flag(given("meta") ?? "true")),
    conditions: [
      ...filters(definition, parameters),
      ...(where === undefined ? [] : [tree(definition, JSON.parse(where))]),
    ],
  };
}

function wholeNumber(text: string, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= 1 && number <= max)) throw refuse();
  return number;
}

function flag(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") throw refuse();
  return lower === "true";
}

/** Repeated `_in` and `_nin` are one list; every other parameter is a condition of its own. */
function filters(definition: Definition, parameters: readonly Parameter[]): Condition[] {
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

/** The whole name if that is declared, else what stands before a known suffix. */
function readName(definition: Definition, name: string): { path: string; operator: Operator } {
  checkName(name);
  if (typeAt(definition, name) !== null) return { path: name, operator: "eq" };
  const at = name.lastIndexOf("_");
  const [base, suffix] = [name.slice(0, at), name.slice(at + 1)];
  const known = at > 0 && (OPERATORS as readonly string[]).includes(suffix);
  if (!known && at > 0 && typeAt(definition, base) !== null) throw refuse(); // UNKNOWN_OPERATOR
  const path = known ? base : name;
  checkPath(definition, path);
  return { path, operator: known ? suffix as Operator : "eq" };
}

const FORBIDDEN = ["__proto__", "constructor", "prototype", ""];

function checkName(path: string): void {
  for (const name of path.split(".")) {
    // `field[$gt]` is how others write operators: brackets are no part of a name that is asked for.
    if (/^\$|[[\]]/.test(name) || FORBIDDEN.includes(name)) throw refuse();
  }
}

function checkPath(definition: Definition, path: string): void {
  checkName(path);
  if (definition.strict && !isDeclared(definition, path)) throw refuse();
}

/** A `where` tree: several members of one object are joined by and, several operators too. */
function tree(definition: Definition, node: Json): Condition {
  const conditions = Object.entries(members(node)).map(([name, operand]): Condition => {
    if (name === "and" || name === "or") {
      if (!Array.isArray(operand)) throw refuse();
      const inner = operand.map((one) => tree(definition, one));
      return (document) =>
        name === "and" ? inner.every((one) => one(document)) : inner.some((one) => one(document));
    }
    if (name === "not") {
      const inner = tree(definition, operand);
      return (document) => !inner(document);
    }
    return leaf(definition, name, operand);
  });
  return (document) => conditions.every((condition) => condition(document));
}

function leaf(definition: Definition, path: string, operand: Json): Condition {
  checkPath(definition, path);
  const plain = operand === null || typeof operand !== "object";
  const tests = Object.entries(plain ? { eq: operand } : members(operand));
  const conditions = tests.map(([name, value]): Condition => {
    const operator = name as Operator;
    if (!plain && !(OPERATORS as readonly string[]).includes(name)) throw refuse();
    const read = fromJson(typeAt(definition, path), operator, value);
    return (document) => meets(valueAt(document, path), operator, read);
  });
  return (document) => conditions.every((condition) => condition(document));
}

function members(node: Json): { readonly [name: string]: Json } {
  if (node === null || typeof node !== "object" || Array.isArray(node)) throw refuse();
  return node;
}

const SORTABLE = ["String", "Number", "Boolean", "Date", "Ref"];

function sorting(definition: Definition, text: string): (a: Document, b: Document) => number {
  const keys = text.split(",").map((key) => {
    const [path, direction = key.startsWith("-") ? "desc" : "asc"] = key.replace(/^-/, "")
      .split(":");
    if (direction !== "asc" && direction !== "desc") throw refuse();
    const type = typeAt(definition, path!);
    if (type === null || !SORTABLE.includes(type.type) || path === "isDeleted") throw refuse();
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

/** `fields` names members at the top; `_id` always stays. */
function showing(fields: string | undefined, meta: boolean): (document: Document) => Document {
  const names = fields?.split(",") ?? [];
  const left = names.filter((name) => name.startsWith("-")).map((name) => name.slice(1));
  if (left.length > 0 && left.length < names.length) throw refuse();
  return (document) => {
    const kept = Object.entries(document).filter(([name]) =>
      name === "_id" ||
      ((meta || !META.includes(name)) && !left.includes(name) &&
        (fields === undefined || left.length > 0 || names.includes(name)))
    );
    return Object.fromEntries(kept) as Document;
  };
}
