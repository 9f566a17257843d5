import type { FieldFault } from "../problems.ts";
import type { Change, Json } from "../store/port.ts";
import { indexedArrays, nearestShape, oversizedArrayFaults } from "../store/shape.ts";
import { didYouMeanAside } from "../text/nearest.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { fieldAt, type FieldDefinition } from "./fields.ts";
import type { Members } from "./document.ts";
import { FAULTS_MAX, type Validated, validateMembers, validateValue } from "./validate.ts";
import { isServerField, nameProblem, pathProblem, pathSizeProblem } from "./names.ts";
import { isOperator, readOperator } from "./operators.ts";

/** Validates the members of a `PATCH`, which may have dotted paths and update operators. */
export function validateChanges(
  collection: Collection,
  members: Members,
  now: string,
): Validated<Change> {
  const { definition } = collection;
  const paths = Object.keys(members);
  const special = paths.filter((path) =>
    path.includes(".") || path.startsWith("$") || isOperator(members[path]!)
  );
  const plain = special.length === 0 ? members : omitPaths(members, special);
  const faults: FieldFault[] = [...overlapFaults(paths)];
  const { value: set, faults: first } = validateMembers(
    definition.fields,
    plain,
    definition.strict,
  );
  for (const { key, required } of definition.fields) {
    if (required && Object.hasOwn(plain, key) && plain[key] === null) {
      faults.push({ path: key, message: "is required and cannot be null" });
    }
  }
  const change: MutableChange = { set, unset: [] };
  for (const path of special) {
    const isReported = first.length + faults.length < FAULTS_MAX;
    const found = addChange(change, { collection, path, value: members[path]!, now, isReported });
    for (const one of found) faults.push(one);
  }
  for (const one of oversizedArrayFaults(indexedArrays(collection.records), set)) faults.push(one);
  set.updatedAt = now; // `set` is a fresh copy already, and copying it again would take time.
  return { value: change, faults: [...first, ...faults] };
}

/** A change under construction. */
type MutableChange = { -readonly [Part in keyof Change]: Change[Part] } & {
  set: Members;
  unset: string[];
};

function omitPaths(members: Members, paths: readonly string[]): Members {
  const left = new Set(paths);
  return Object.fromEntries(Object.entries(members).filter(([path]) => !left.has(path)));
}

interface SpecialMember {
  readonly collection: Collection;
  readonly path: string;
  readonly value: Json;
  readonly now: string;
  /** Whether a fault will be reported, so that suggestions are worthwhile. */
  readonly isReported: boolean;
}

/** Adds a member to a change. Returns its faults. */
function addChange(
  change: MutableChange,
  member: SpecialMember,
): readonly FieldFault[] {
  const { collection, path, value, now } = member;
  const { definition: { fields, strict } } = collection;
  const fault = pathFault(member);
  if (fault !== null) return [{ path, message: fault }];
  const names = path.split(".");
  const field = fieldAt(fields, names);
  const depth = names.length + 1;
  if (isOperator(value)) {
    const result = readOperator({ path, field, strict, depth, now }, value);
    if ("fault" in result) return [{ path, message: result.fault }];
    mergeChange(change, result.change);
    return [];
  }
  if (field?.required && value === null) {
    return [{ path, message: "is required and cannot be null" }];
  }
  const validated = validateValue(field, value, { strict, depth, path });
  change.set[path] = validated.value;
  return validated.faults;
}

function mergeChange(change: MutableChange, { set, unset = [], ...others }: Change): void {
  Object.assign(change.set, set);
  change.unset.push(...unset);
  for (const [part, values] of Object.entries(others)) {
    // The values have the type of this part.
    change[part as "push"] = Object.assign(change[part as "push"] ?? {}, values);
  }
}

/** Matches operators at the top level, which is the syntax of other stores. */
const OPERATOR_NAME = /^\$\w+$/;

function pathFault({ collection, path, value, isReported }: SpecialMember): string | null {
  const { definition } = collection;
  if (OPERATOR_NAME.test(path)) {
    return "is not a field: send fields by their names, with operators inside: " +
      '{"views":{"$inc":1}}';
  }
  const isDotted = path.includes(".");
  const problem = isDotted ? pathProblem(path) : nameProblem(path);
  if (problem !== null) return `cannot be ${isDotted ? "a path" : "stored"}: ${problem}`;
  if (isDotted) {
    const top = path.slice(0, path.indexOf("."));
    if (isServerField(top)) return "leads into a field set by the server";
    if (definition.rls.enabled && top === definition.rls.ownerField) {
      return "leads into the owner field";
    }
    const outer = findNonObjectParent(collection, path);
    if (outer !== null) return `leads through ${outer}, which is declared as another type`;
  }
  // Fields that are no longer declared may be removed.
  const takesAway = isOperator(value) && Object.hasOwn(value, "$unset");
  const isKnown = !definition.strict || takesAway ||
    declaredAt(collection, path).kind !== "undeclared";
  if (isKnown) return null;
  return `is not declared${isReported ? didYouMeanAside(path, declaredPaths(collection)) : ""}`;
}

/** Returns members that must exist, because the change would create their objects without them. */
export function requiredSiblings({ definition }: Collection, paths: readonly string[]): string[] {
  const siblings = new Set<string>();
  const set = new Set<string>();
  for (const path of paths) {
    let fields: readonly FieldDefinition[] = definition.fields;
    for (let dot = path.indexOf("."), from = 0; dot !== -1; dot = path.indexOf(".", from)) {
      const outer = path.slice(0, dot);
      const name = path.slice(from, dot);
      // Setting a member creates the objects on its path.
      set.add(outer);
      fields = fields.find(({ key }) => key === name)?.fields ?? [];
      for (const { key, required } of fields) if (required) siblings.add(`${outer}.${key}`);
      from = dot + 1;
    }
    set.add(path);
  }
  return [...siblings].filter((path) => !set.has(path));
}

function findNonObjectParent({ records }: Collection, path: string): string | null {
  const { shape, path: outer, isComplete } = nearestShape(records.fields, path);
  return shape === null || isComplete || shape.type === "Object" ? null : outer;
}

/** Rejects paths within other paths of the change, because the result would be undefined. */
function overlapFaults(paths: readonly string[]): FieldFault[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    // `pathFault` reports paths that are too long.
    if (pathSizeProblem(path) !== null) return false;
    for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
      if (all.has(path.slice(0, dot))) return true;
    }
    return false;
  }).map((path) => ({ path, message: "lies within another field of the same change" }));
}
