import { isIndexable } from "../../documents/definition_indexes.ts";
import type { ItemDefinition } from "../../documents/fields.ts";
import { DEFINITION_FIELDS_MAX, INDEX_FIELDS_MAX, INDEXES_MAX } from "../../limits.ts";
import { type GivenCollection, type GivenField, SOURCE_ID } from "./foreign_project.ts";
import { collectionNames } from "./names.ts";
import type { Notes } from "./notes.ts";
import {
  type FieldPlan,
  type FieldPlans,
  planFields,
  type TargetNames,
} from "./pocketbase_fields.ts";
import { parseIndex, type PocketbaseIndex } from "./pocketbase_indexes.ts";
import type { PocketbaseCollection, PocketbaseSource } from "./pocketbase_source.ts";
import { quoteName } from "./scratch.ts";

export interface CollectionPlan extends FieldPlans {
  readonly source: PocketbaseCollection;
  readonly definition: GivenCollection;
}

export interface UsersPlan extends FieldPlans {
  readonly source: PocketbaseCollection;
  readonly userFields: readonly GivenField[];
}

export interface PocketbasePlan {
  readonly targets: TargetNames;
  readonly users: UsersPlan | null;
  readonly collections: readonly CollectionPlan[];
}

export function planPocketbase(source: PocketbaseSource, notes: Notes): PocketbasePlan {
  const users = findUsers(source, notes);
  const collections = source.collections.filter((one) => one !== users && !isView(one, notes));
  const names = collectionNames(collections.map(({ name }) => name));
  for (const [name, own] of names) if (name !== own) notes.add(`${name} is called ${own}`);
  const targets = {
    users,
    collections: new Map(collections.map(({ id, name }) => [id, names.get(name)!])),
  };
  return {
    targets,
    users: users && planUsers(source, users, { targets, notes }),
    collections: collections.map((one) => planCollection(source, one, { targets, notes })),
  };
}

/** Chooses the auth collection `users`, or else the oldest. */
function findUsers({ collections }: PocketbaseSource, notes: Notes): PocketbaseCollection | null {
  const all = collections.filter(({ type }) => type === "auth");
  const users = all.find(({ name }) => name === "users") ?? all[0] ?? null;
  for (const { name } of all.filter((one) => one !== users)) {
    notes.add(
      `${name} became a collection like any other: only ${users!.name} can sign in, so their ` +
        "passwords were left out",
    );
  }
  if (users !== null && users.name !== "users") notes.add(`${users.name} became the users`);
  return users;
}

function isView({ name, type }: PocketbaseCollection, notes: Notes): boolean {
  if (type === "view") notes.add(`${name} was left out: it is a view`);
  return type === "view";
}

interface PlanContext {
  readonly targets: TargetNames;
  readonly notes: Notes;
}

function planUsers(
  source: PocketbaseSource,
  users: PocketbaseCollection,
  context: PlanContext,
): UsersPlan {
  const plans = planFields(source, users, context);
  noteValidation(users, plans, context.notes);
  noteRules(users, "users can read and change only themselves", context.notes);
  const fields = plans.fields.filter(({ type }) => type !== null);
  const declared = fields.slice(0, DEFINITION_FIELDS_MAX - 1);
  for (const { source: { name } } of fields.slice(declared.length)) {
    context.notes.add(`${users.name}.${name} was left out: users can have no more fields`);
  }
  const userFields = [
    { key: SOURCE_ID, type: "String" },
    ...declared.map(({ key, type }) => ({ key, ...type! })),
  ];
  return { ...plans, fields: declared, source: users, userFields };
}

function planCollection(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  context: PlanContext,
): CollectionPlan {
  const { targets, notes } = context;
  const planned = planFields(source, collection, context);
  noteValidation(collection, planned, notes);
  const indexes = new IndexPlan(collection, planned, notes);
  const owners = planned.fields.filter(({ type }) => type?.ref === "users");
  const plans = {
    ...planned,
    fields: planned.fields.map((plan) =>
      indexes.emptyIsNull.has(plan.key) ? { ...plan, emptyIsNull: true } : plan
    ),
  };
  const own = owners.length === 1 ? owners[0]!.key : null;
  const ownerField = own ?? freeOwnerField(plans);
  noteRules(
    collection,
    own === null
      ? "it is private and its documents have no owner, so that only the secret key reads them"
      : `it is private, and "${own}" names the owner of a document`,
    notes,
  );
  const declared = plans.fields.filter(({ type }) => type !== null);
  // Leaves room for the fields of the owner and the source id.
  const fields = declared.slice(0, DEFINITION_FIELDS_MAX / 2 - 2).map((plan) => ({
    key: plan.key,
    ...plan.type!,
    ...(isAlwaysThere(source, collection, plan) && { required: true }),
    ...indexes.ofField(plan.key),
  }));
  if (fields.length < declared.length) {
    notes.add(`${collection.name}: ${declared.length - fields.length} fields are not declared`);
  }
  return {
    ...plans,
    source: collection,
    definition: {
      name: targets.collections.get(collection.id)!,
      fields: [{ key: SOURCE_ID, type: "String", unique: true }, ...fields],
      rls: { enabled: true, mode: "private", ownerField },
      strict: false,
      indexes: indexes.compound.slice(0, INDEXES_MAX),
    },
  };
}

/** Whether a field is required and all records have it: PocketBase checks only new records. */
function isAlwaysThere(
  { db }: PocketbaseSource,
  { name }: PocketbaseCollection,
  { source, type }: FieldPlan,
): boolean {
  if (!source.required || type?.file || source.type === "json") return false;
  if (source.type === "number" || source.type === "bool") return true;
  const column = quoteName(source.name);
  const missing = `SELECT 1 FROM ${
    quoteName(name)
  } WHERE ${column} IS NULL OR ${column} IN ('', '[]')`;
  return [...db.rows(`${missing} LIMIT 1`)].length === 0;
}

function freeOwnerField({ fields }: FieldPlans): string {
  const taken = new Set(fields.map(({ key }) => key));
  for (let name = "ownerId";; name += "_") if (!taken.has(name)) return name;
}

/** Options that validate values beyond their type. */
const VALIDATION = ["min", "max", "pattern", "onlyInt", "onlyDomains", "exceptDomains", "values"];

function noteValidation(
  { name }: PocketbaseCollection,
  { fields }: FieldPlans,
  notes: Notes,
): void {
  const asking = fields.filter(({ source }) =>
    VALIDATION.some((member) => {
      const value = source[member];
      return Array.isArray(value) ? value.length > 0 : Boolean(value);
    })
  );
  if (asking.length === 0) return;
  notes.add(
    `${name}: only the type of values is validated, for ${
      asking.map(({ source }) => source.name).join(", ")
    }`,
  );
}

const NOTE_TEXT_LENGTH_MAX = 300;

function noteRules({ name, rules }: PocketbaseCollection, now: string, notes: Notes): void {
  const were = Object.entries(rules).map(([rule, text]) =>
    `${rule} ${
      text === null ? "superusers only" : JSON.stringify(text.slice(0, NOTE_TEXT_LENGTH_MAX))
    }`
  );
  notes.add(`${name}: its rules were not carried over, ${now}. They were: ${were.join(", ")}`);
}

/** Indexes that can be carried over. */
class IndexPlan {
  readonly compound: GivenCollection["indexes"][number][] = [];
  /** New names of unique fields in which an empty text becomes null. */
  readonly emptyIsNull = new Set<string>();
  readonly #single = new Map<string, { unique?: boolean; index?: boolean }>();
  readonly #collection: PocketbaseCollection;
  readonly #byName: ReadonlyMap<string, FieldPlan>;
  readonly #times: Readonly<Record<string, string | null>>;

  constructor(collection: PocketbaseCollection, plans: FieldPlans, notes: Notes) {
    this.#collection = collection;
    this.#byName = new Map(plans.fields.map((plan) => [plan.source.name, plan]));
    this.#times = { createdAt: plans.createdAt, updatedAt: plans.updatedAt };
    for (const sql of collection.indexes) {
      const why = this.#add(sql);
      if (why !== null) {
        notes.add(
          `${collection.name}: an index was left out, because ${why}: ${
            sql.slice(0, NOTE_TEXT_LENGTH_MAX)
          }`,
        );
      }
    }
  }

  ofField(key: string): { unique?: boolean; index?: boolean } {
    return this.#single.get(key) ?? {};
  }

  #add(sql: string): string | null {
    const index = parseIndex(sql);
    if (typeof index === "string") return index;
    const names = index.fields.map((name) => name.replace("-", ""));
    if (this.#isBuiltIn(names)) return null;
    const keys = names.map((name) => this.#keyOf(name));
    if (keys.includes(null)) return "it has a field that was not carried over";
    const plans = names.map((name) => this.#byName.get(name) ?? null);
    const arrays = plans.filter((plan) => plan?.type?.type === "Array").length;
    if (arrays > (index.unique ? 0 : 1)) return "it has several lists, or a unique one";
    if (plans.some((plan) => plan !== null && !isIndexed(plan))) {
      return "its values cannot be indexed";
    }
    return this.#addToPlan(index, keys as string[]);
  }

  /** Whether Corbel always has an index on the fields. */
  #isBuiltIn(names: readonly string[]): boolean {
    const isAuth = this.#collection.type === "auth";
    return names.length === 1 &&
      (names[0] === "id" || names[0] === this.#times.createdAt ||
        (isAuth && names[0] === "tokenKey"));
  }

  #keyOf(name: string): string | null {
    if (name === "id") return SOURCE_ID;
    for (const [own, foreign] of Object.entries(this.#times)) if (foreign === name) return own;
    const plan = this.#byName.get(name);
    return plan?.type ? plan.key : null;
  }

  #addToPlan(
    { unique, fields, butEmpty }: PocketbaseIndex,
    keys: readonly string[],
  ): string | null {
    if (butEmpty !== null) this.emptyIsNull.add(this.#keyOf(butEmpty)!);
    if (keys.length === 1 && this.#times.updatedAt !== fields[0]!.replace("-", "")) {
      const [key] = keys as [string];
      const before = this.#single.get(key);
      const isUnique = unique && this.#canBeUnique(key);
      this.#single.set(key, isUnique || before?.unique ? { unique: true } : { index: true });
      return unique && !isUnique ? "its values cannot be unique" : null;
    }
    if (keys.length > INDEX_FIELDS_MAX) return `it has more than ${INDEX_FIELDS_MAX} fields`;
    if (this.compound.length === INDEXES_MAX) return `there are ${INDEXES_MAX} before it`;
    const texts = keys.map((key, i) => fields[i]!.startsWith("-") ? `-${key}` : key);
    const isThere = this.compound.some((one) => one.fields.join() === texts.join());
    if (!isThere) this.compound.push({ fields: texts, unique });
    return null;
  }

  #canBeUnique(key: string): boolean {
    const plan = [...this.#byName.values()].find((plan) => plan.key === key);
    return plan !== undefined && plan.type?.type !== "Boolean";
  }
}

const isIndexed = ({ type }: FieldPlan): boolean =>
  type !== null && isIndexable(type as ItemDefinition); // It reads only these properties.
