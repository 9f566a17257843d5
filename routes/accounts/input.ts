import { asMembers, type Members } from "@/lib/documents/document.ts";
import { shown } from "@/lib/documents/names.ts";
import { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { own } from "@/lib/store/shape.ts";

const refuse = (message: string) => new Problem("INVALID_BODY", { message });

/** A body of these members and no others. Throws `INVALID_BODY`. */
export function membersOf(body: Json, names: readonly string[]): Members {
  const members = asMembers(body);
  const isKnown = Object.keys(members).every((name) => names.includes(name));
  // The name is not repeated: what is sent here is confidential, wherever it is put by mistake.
  if (!isKnown) throw refuse(`The body may have only ${names.join(", ")}.`);
  return members;
}

/** Throws `INVALID_BODY` where it is missing, empty or no text. */
export function requiredText(members: Members, name: string): string {
  const value = own(members, name);
  if (typeof value === "string" && value !== "") return value;
  throw refuse(`${shown(name)} must be text.`);
}

/** Null where it is left out or null. */
export function optionalText(members: Members, name: string): string | null {
  return own(members, name) == null ? null : requiredText(members, name);
}
