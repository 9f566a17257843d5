import { parseId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { GivenRole } from "@/lib/projects/members.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { isObject, own } from "@/lib/store/shape.ts";

/** The members of a body that has these texts and nothing else. Throws `INVALID_BODY`. */
export function texts<const Name extends string>(
  body: Json,
  names: readonly Name[],
): { readonly [name in Name]: string } {
  const given = isObject(body) ? body : {};
  const fits = names.every((name) => typeof own(given, name) === "string") &&
    Object.keys(given).length === names.length;
  if (!fits) throw invalidBody(`Send ${names.map((name) => `"${name}"`).join(" and ")}, as text.`);
  return given as { readonly [name in Name]: string }; // Just looked at.
}

/** Throws `INVALID_BODY`. */
export function givenRole(text: string): GivenRole {
  if (text === "viewer" || text === "admin") return text;
  throw invalidBody('"role" must be viewer or admin.');
}

/** Throws `INVALID_BODY`. */
export function memberId(text: string): Id {
  const id = parseId(text);
  if (id === null) throw invalidBody('"accountId" must be 24 hexadecimal digits.');
  return id;
}

const invalidBody = (message: string) => new Problem("INVALID_BODY", { message });
