import type { FieldFault } from "../problems.ts";
import type { Change, Json } from "../store/port.ts";
import { crowded, indexedArrays, nearestShape } from "../store/shape.ts";
import { meantAside } from "../text/nearest.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { fieldAt, type FieldDefinition } from "./fields.ts";
import type { Members } from "./document.ts";
import { FAULTS_MAX, type Validated, validateMembers, validateValue } from "./validate.ts";
import { isServerField, nameProblem, pathProblem, pathSizeProblem } from "./names.ts";
import { isOperator, operate } from "./operators.ts";

/** Fits the members of a `PATCH`, whose names may be dotted paths and whose values operators. */
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
  const whole = special.length === 0 ? members : without(members, special);
  const faults: FieldFault[] = [...overlaps(paths)];
  const { value: set, faults: first } = validateMembers(
    definition.fields,
    whole,
    definition.strict,
  );
  for (const { key, required } of definition.fields) {
    if (required && Object.hasOwn(whole, key) && whole[key] === null) {
      faults.push({ path: key, message: "is required and cannot be null" });
    }
  }
  const change: Parts = { set, unset: [] };
  for (const path of special) {
    const isTold = first.length + faults.length < FAULTS_MAX;
    const fault = addChange(change, { collection, path, value: members[path]!, now, isTold });
    for (const one of fault) faults.push(one);
  }
  for (const one of crowded(indexedArrays(collection.records), set)) faults.push(one);
  set.updatedAt = now; // The validated members are nobody else's; a copy of many takes its time.
  return { value: change, faults: [...first, ...faults] };
}

/** A change that is being put together. */
type Parts = { -readonly [Part in keyof Change]: Change[Part] } & {
  set: Members;
  unset: string[];
};

function without(members: Members, paths: readonly string[]): Members {
  const left = new Set(paths);
  return Object.fromEntries(Object.entries(members).filter(([path]) => !left.has(path)));
}

/** One member of a `PATCH` that is no plain member of a document. */
interface SpecialMember {
  readonly collection: Collection;
  readonly path: string;
  readonly value: Json;
  readonly now: string;
  /** Whether anybody will read what is wrong with it. */
  readonly isTold: boolean;
}

/** Adds what the member asks for to a change. Returns what is wrong with it. */
function addChange(
  change: Parts,
  member: SpecialMember,
): readonly FieldFault[] {
  const { collection, path, value, now } = member;
  const { definition: { fields, strict } } = collection;
  const wrong = pathFault(member);
  if (wrong !== null) return [{ path, message: wrong }];
  const names = path.split(".");
  const field = fieldAt(fields, names);
  const depth = names.length + 1;
  if (isOperator(value)) {
    const operated = operate({ path, field, strict, depth, now }, value);
    if ("fault" in operated) return [{ path, message: operated.fault }];
    join(change, operated.change);
    return [];
  }
  if (field?.required && value === null) {
    return [{ path, message: "is required and cannot be null" }];
  }
  const validated = validateValue(field, value, { strict, depth, path });
  change.set[path] = validated.value;
  return validated.faults;
}

/** Puts the parts of one change, which are of one path, to those of another. */
function join(change: Parts, { set, unset = [], ...others }: Change): void {
  Object.assign(change.set, set);
  change.unset.push(...unset);
  for (const [part, values] of Object.entries(others)) {
    change[part as "push"] = Object.assign(change[part as "push"] ?? {}, values); // Of the same part.
  }
}

/** As other stores have operators: with fields inside. */
const OPERATOR_NAME = /^\$\w+$/;

/** Why nothing can be changed at the path; null if something can. */
function pathFault({ collection, path, value, isTold }: SpecialMember): string | null {
  const { definition } = collection;
  if (OPERATOR_NAME.test(path)) {
    return 'is no field: send fields by their names, with operators inside, as {"views":{"$inc":1}}';
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
    const outer = nonObjectOnTheWay(collection, path);
    if (outer !== null) return `leads through ${outer}, which is declared as another type`;
  }
  // What is no longer declared may be taken away.
  const takesAway = isOperator(value) && Object.hasOwn(value, "$unset");
  const isKnown = !definition.strict || takesAway ||
    declaredAt(collection, path).kind !== "undeclared";
  if (isKnown) return null;
  return `is not declared${isTold ? meantAside(path, declaredPaths(collection)) : ""}`;
}

/**
 * Required members of the objects that dotted paths lead into, but for those that the change sets
 * itself: where such an object is missing the change would make it without them.
 */
export function requiredBeside({ definition }: Collection, paths: readonly string[]): string[] {
  const beside = new Set<string>();
  const set = new Set<string>();
  for (const path of paths) {
    let fields: readonly FieldDefinition[] = definition.fields;
    for (let dot = path.indexOf("."), from = 0; dot !== -1; dot = path.indexOf(".", from)) {
      const outer = path.slice(0, dot);
      const name = path.slice(from, dot);
      // What is set within an object makes the object, too.
      set.add(outer);
      fields = fields.find(({ key }) => key === name)?.fields ?? [];
      for (const { key, required } of fields) if (required) beside.add(`${outer}.${key}`);
      from = dot + 1;
    }
    set.add(path);
  }
  return [...beside].filter((path) => !set.has(path));
}

function nonObjectOnTheWay({ records }: Collection, path: string): string | null {
  const { shape, path: outer, isWhole } = nearestShape(records.fields, path);
  return shape === null || isWhole || shape.type === "Object" ? null : outer;
}

/** Two changes must not meet: which came last would be a matter of luck. */
function overlaps(paths: readonly string[]): FieldFault[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    // Of a path that is too long to be one, that is what will be told.
    if (pathSizeProblem(path) !== null) return false;
    for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
      if (all.has(path.slice(0, dot))) return true;
    }
    return false;
  }).map((path) => ({ path, message: "lies within another field of the same change" }));
}
