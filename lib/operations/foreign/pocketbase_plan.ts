import { isIndexable } from "../../documents/definition_indexes.ts";
import type { ItemDefinition } from "../../documents/fields.ts";
import { DEFINITION_FIELDS_MAX, INDEX_FIELDS_MAX, INDEXES_MAX } from "../../limits.ts";
import { type GivenCollection, type GivenField, SOURCE_ID } from "./foreign_project.ts";
import { collectionNames } from "./names.ts";
import type { Notes } from "./notes.ts";
import { type FieldPlan, type FieldPlans, planFields, type Targets } from "./pocketbase_fields.ts";
import { parseIndex, type PocketbaseIndex } from "./pocketbase_indexes.ts";
import type { PocketbaseCollection, PocketbaseSource } from "./pocketbase_source.ts";
import { quoted } from "./scratch.ts";

/** A collection with what becomes of it. */
export interface CollectionPlan extends FieldPlans {
  readonly source: PocketbaseCollection;
  readonly definition: GivenCollection;
}

export interface UsersPlan extends FieldPlans {
  readonly source: PocketbaseCollection;
  readonly userFields: readonly GivenField[];
}

export interface PocketbasePlan {
  readonly targets: Targets;
  readonly users: UsersPlan | null;
  readonly collections: readonly CollectionPlan[];
}

/** What becomes of each collection. What does not fit is told. */
export function planPocketbase(source: PocketbaseSource, notes: Notes): PocketbasePlan {
  const users = usersAmong(source, notes);
  const kept = source.collections.filter((one) => one !== users && !isView(one, notes));
  const names = collectionNames(kept.map(({ name }) => name));
  for (const [name, own] of names) if (name !== own) notes.say(`${name} is called ${own}`);
  const targets = {
    users,
    collections: new Map(kept.map(({ id, name }) => [id, names.get(name)!])),
  };
  return {
    targets,
    users: users && planUsers(source, users, { targets, notes }),
    collections: kept.map((one) => planCollection(source, one, { targets, notes })),
  };
}

/** There is one kind of users: `users`, or else the first one that was made. */
function usersAmong({ collections }: PocketbaseSource, notes: Notes): PocketbaseCollection | null {
  const all = collections.filter(({ type }) => type === "auth");
  const users = all.find(({ name }) => name === "users") ?? all[0] ?? null;
  for (const { name } of all.filter((one) => one !== users)) {
    notes.say(
      `${name} became a collection like any other: only ${users!.name} can sign in, so their ` +
        "passwords were left out",
    );
  }
  if (users !== null && users.name !== "users") notes.say(`${users.name} became the users`);
  return users;
}

function isView({ name, type }: PocketbaseCollection, notes: Notes): boolean {
  if (type === "view") notes.say(`${name} was left out: it is a view`);
  return type === "view";
}

interface Context {
  readonly targets: Targets;
  readonly notes: Notes;
}

function planUsers(
  source: PocketbaseSource,
  users: PocketbaseCollection,
  context: Context,
): UsersPlan {
  const plans = planFields(source, users, context);
  tellValidation(users, plans, context.notes);
  tellRules(users, "users see and change themselves alone", context.notes);
  const fields = plans.fields.filter(({ type }) => type !== null);
  const kept = fields.slice(0, DEFINITION_FIELDS_MAX - 1);
  for (const { source: { name } } of fields.slice(kept.length)) {
    context.notes.say(`${users.name}.${name} was left out: users can have no more fields`);
  }
  const userFields = [
    { key: SOURCE_ID, type: "String" },
    ...kept.map(({ key, type }) => ({ key, ...type! })),
  ];
  return { ...plans, fields: kept, source: users, userFields };
}

function planCollection(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  context: Context,
): CollectionPlan {
  const { targets, notes } = context;
  const planned = planFields(source, collection, context);
  tellValidation(collection, planned, notes);
  const indexes = new Indexes(collection, planned, notes);
  const owners = planned.fields.filter(({ type }) => type?.ref === "users");
  const plans = {
    ...planned,
    fields: planned.fields.map((plan) =>
      indexes.emptyIsNull.has(plan.key) ? { ...plan, emptyIsNull: true } : plan
    ),
  };
  const own = owners.length === 1 ? owners[0]!.key : null;
  const ownerField = own ?? freeOwnerField(plans);
  tellRules(
    collection,
    own === null
      ? "it is private and nobody owns its documents, so that only the secret key reads them"
      : `it is private, and documents belong to whom "${own}" names`,
    notes,
  );
  const declared = plans.fields.filter(({ type }) => type !== null);
  // One is left for the owner's, one for the id.
  const fields = declared.slice(0, DEFINITION_FIELDS_MAX / 2 - 2).map((plan) => ({
    key: plan.key,
    ...plan.type!,
    ...(isAlwaysThere(source, collection, plan) && { required: true }),
    ...indexes.ofField(plan.key),
  }));
  if (fields.length < declared.length) {
    notes.say(`${collection.name}: ${declared.length - fields.length} fields are not declared`);
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

/** Whether it must be there, and is in all records: rules of PocketBase bind what is written later. */
function isAlwaysThere(
  { db }: PocketbaseSource,
  { name }: PocketbaseCollection,
  { source, type }: FieldPlan,
): boolean {
  if (!source.required || type?.file || source.type === "json") return false;
  if (source.type === "number" || source.type === "bool") return true;
  const column = quoted(source.name);
  const missing = `SELECT 1 FROM ${
    quoted(name)
  } WHERE ${column} IS NULL OR ${column} IN ('', '[]')`;
  return [...db.rows(`${missing} LIMIT 1`)].length === 0;
}

function freeOwnerField({ fields }: FieldPlans): string {
  const taken = new Set(fields.map(({ key }) => key));
  for (let name = "ownerId";; name += "_") if (!taken.has(name)) return name;
}

/** What PocketBase asks of values beyond their type. */
const VALIDATION = ["min", "max", "pattern", "onlyInt", "onlyDomains", "exceptDomains", "values"];

function tellValidation(
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
  notes.say(
    `${name}: what is asked of values beyond their type is asked no more, of ${
      asking.map(({ source }) => source.name).join(", ")
    }`,
  );
}

/** Of a text that is told. */
const TOLD_LENGTH_MAX = 300;

function tellRules({ name, rules }: PocketbaseCollection, now: string, notes: Notes): void {
  const were = Object.entries(rules).map(([rule, text]) =>
    `${rule} ${text === null ? "superusers only" : JSON.stringify(text.slice(0, TOLD_LENGTH_MAX))}`
  );
  notes.say(`${name}: its rules hold no more, ${now}. They were: ${were.join(", ")}`);
}

/** The indexes of a collection, as far as they can be carried over. */
class Indexes {
  readonly compound: GivenCollection["indexes"][number][] = [];
  /** Unique fields, by their names here, in which an empty text is no value. */
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
        notes.say(
          `${collection.name}: an index was left out, because ${why}: ${
            sql.slice(0, TOLD_LENGTH_MAX)
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
    if (this.#isServers(names)) return null;
    const keys = names.map((name) => this.#keyOf(name));
    if (keys.includes(null)) return "it names what was not carried over";
    const plans = names.map((name) => this.#byName.get(name) ?? null);
    const arrays = plans.filter((plan) => plan?.type?.type === "Array").length;
    if (arrays > (index.unique ? 0 : 1)) return "it is of lists";
    if (plans.some((plan) => plan !== null && !isIndexed(plan))) {
      return "of such values there is none";
    }
    return this.#keep(index, keys as string[]);
  }

  /** Whatever has an index anyway. */
  #isServers(names: readonly string[]): boolean {
    const isAuth = this.#collection.type === "auth";
    return names.length === 1 &&
      (names[0] === "id" || names[0] === this.#times.createdAt ||
        (isAuth && names[0] === "tokenKey"));
  }

  #keyOf(name: string): string | null {
    if (name === "id") return SOURCE_ID;
    for (const [own, there] of Object.entries(this.#times)) if (there === name) return own;
    const plan = this.#byName.get(name);
    return plan?.type ? plan.key : null;
  }

  #keep({ unique, fields, butEmpty }: PocketbaseIndex, keys: readonly string[]): string | null {
    if (butEmpty !== null) this.emptyIsNull.add(this.#keyOf(butEmpty)!);
    if (keys.length === 1 && this.#times.updatedAt !== fields[0]!.replace("-", "")) {
      const [key] = keys as [string];
      const before = this.#single.get(key);
      const isUnique = unique && this.#canBeUnique(key);
      this.#single.set(key, isUnique || before?.unique ? { unique: true } : { index: true });
      return unique && !isUnique ? "such values cannot be unique" : null;
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
  type !== null && isIndexable(type as ItemDefinition); // It has what that is asked about.
