import type { FieldFault } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import { type Collection, declaredAt } from "./collection.ts";
import type { FieldDefinition } from "./fields.ts";
import type { Members } from "./document.ts";
import { crowded, indexedArrays } from "./indexed_arrays.ts";
import { type Validated, validateMembers, validateValue } from "./validate.ts";
import { isServerField, pathProblem, pathSizeProblem } from "./names.ts";

/** Fits the members of a `PATCH`, whose names may be dotted paths. */
export function validateChanges(collection: Collection, members: Members): Validated<Members> {
  const { definition } = collection;
  const paths = Object.keys(members);
  const dotted = paths.filter((path) => path.includes("."));
  const whole = dotted.length === 0 ? members : withoutPaths(members);
  const faults: FieldFault[] = [...overlaps(paths)];
  const { value, faults: first } = validateMembers(definition.fields, whole, definition.strict);
  for (const path of dotted) {
    const validated = fitPath(collection, path, members[path]!);
    value[path] = validated.value;
    for (const one of validated.faults) faults.push(one);
  }
  for (const { key, required } of definition.fields) {
    if (required && Object.hasOwn(whole, key) && whole[key] === null) {
      faults.push({ path: key, message: "is required and cannot be null" });
    }
  }
  faults.push(...crowded(indexedArrays(collection.records), value));
  return { value, faults: [...first, ...faults] };
}

const withoutPaths = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([path]) => !path.includes(".")));

function fitPath(collection: Collection, path: string, value: Json): Validated {
  const { definition } = collection;
  const fault = (message: string): Validated => ({ value, faults: [{ path, message }] });
  const problem = pathProblem(path);
  if (problem !== null) return fault(`cannot be a path: ${problem}`);
  const names = path.split(".");
  if (isServerField(names[0]!)) return fault("leads into a field set by the server");
  if (definition.rls.enabled && names[0] === definition.rls.ownerField) {
    return fault("leads into the owner field");
  }
  const outer = nonObjectOnTheWay(collection, path);
  if (outer !== null) return fault(`leads through ${outer}, which is declared as another type`);
  if (definition.strict && declaredAt(collection, path).kind === "undeclared") {
    return fault("is not declared");
  }
  const field = fieldAt(definition.fields, names);
  if (field !== null && field.required && value === null) {
    return fault("is required and cannot be null");
  }
  return validateValue(field, value, { strict: definition.strict, depth: names.length + 1, path });
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

function fieldAt(
  fields: readonly FieldDefinition[],
  names: readonly string[],
): FieldDefinition | null {
  let [within, field]: [readonly FieldDefinition[], FieldDefinition | null] = [fields, null];
  for (const name of names) {
    field = within.find(({ key }) => key === name) ?? null;
    if (field === null) return null;
    within = field.fields ?? [];
  }
  return field;
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
