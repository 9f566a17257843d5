import type { FieldFault } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import { type Collection, declaredAt } from "./collection.ts";
import type { FieldDefinition } from "./fields.ts";
import type { Members } from "./document.ts";
import { fitMembers, type Fitted, fitValue } from "./fit.ts";
import { isServerField, pathProblem } from "./names.ts";

/** Fits the members of a `PATCH`, whose names may be dotted paths. */
export function fitChanges(collection: Collection, members: Members): Fitted<Members> {
  const { definition } = collection;
  const whole: Members = {};
  const value: Members = {};
  const faults: FieldFault[] = [...overlaps(Object.keys(members))];
  for (const [path, wanted] of Object.entries(members)) {
    if (!path.includes(".")) whole[path] = wanted;
    else {
      const fitted = fitPath(collection, path, wanted);
      value[path] = fitted.value;
      faults.push(...fitted.faults);
    }
  }
  const fitted = fitMembers(definition.fields, whole, definition.strict);
  for (const { key, required } of definition.fields) {
    if (required && Object.hasOwn(whole, key) && whole[key] === null) {
      faults.push({ path: key, message: "is required and cannot be null" });
    }
  }
  return { value: { ...fitted.value, ...value }, faults: [...fitted.faults, ...faults] };
}

function fitPath(collection: Collection, path: string, value: Json): Fitted {
  const { definition } = collection;
  const fault = (message: string): Fitted => ({ value, faults: [{ path, message }] });
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
  return fitValue(field, value, { strict: definition.strict, depth: names.length + 1, path });
}

/**
 * Required members of the objects that dotted paths lead into, but for those that the change sets
 * itself: where such an object is missing the change would make it without them.
 */
export function requiredBeside({ definition }: Collection, paths: readonly string[]): string[] {
  const beside = new Set<string>();
  for (const path of paths) {
    const names = path.split(".");
    for (let length = 1; length < names.length; length++) {
      const outer = names.slice(0, length);
      for (const { key, required } of fieldAt(definition.fields, outer)?.fields ?? []) {
        if (required) beside.add([...outer, key].join("."));
      }
    }
  }
  const isSet = (required: string) =>
    paths.some((path) => path === required || path.startsWith(`${required}.`));
  return [...beside].filter((path) => !isSet(path));
}

/** What is declared as another type ends the way, so it is what was declared last on it. */
function nonObjectOnTheWay({ records }: Collection, path: string): string | null {
  const { shape, path: outer, isWhole } = nearestShape(records.fields, path);
  return shape === null || isWhole || shape.type === "Object" ? null : outer;
}

function fieldAt(
  fields: readonly FieldDefinition[],
  names: readonly string[],
): FieldDefinition | null {
  const field = fields.find(({ key }) => key === names[0]) ?? null;
  return field === null || names.length === 1 ? field : fieldAt(field.fields ?? [], names.slice(1));
}

/** Two changes must not meet: which came last would be a matter of luck. */
function overlaps(paths: readonly string[]): FieldFault[] {
  return paths.filter((path) => paths.some((other) => path.startsWith(`${other}.`)))
    .map((path) => ({ path, message: "lies within another field of the same change" }));
}
