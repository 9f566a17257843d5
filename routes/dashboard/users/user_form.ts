import type { UserRecord } from "@/lib/auth/users.ts";
import type { FieldFault, Problem, ProblemCode } from "@/lib/problems.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { shownFields } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ManagedUserChanges, UserInput } from "@/openapi/schemas/user.ts";
import { isConflict } from "../components/forms.tsx";
import { readEntries, unreadable } from "../documents/entered.ts";
import { notJson } from "../not_json.ts";

/** The members that every user has, as a form has them. A password that was sent is never sent back. */
export interface EnteredUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly username: string;
  readonly avatarUrl: string;
  /** Words with spaces between them. */
  readonly roles: string;
  /** A JSON object; empty for none. */
  readonly claims: string;
}

/** @param user Null for one that is still to be made. */
export function enteredUser(user: UserRecord | null): EnteredUser {
  const claims = user?.claims ?? {};
  return {
    email: user?.email ?? "",
    emailVerified: user?.emailVerified ?? false,
    name: user?.name ?? "",
    username: user?.username ?? "",
    avatarUrl: user?.avatarUrl ?? "",
    roles: (user?.roles ?? []).join(" "),
    claims: Object.keys(claims).length === 0 ? "" : jsonText(claims, 2),
  };
}

const TEXTS = ["email", "name", "username", "avatarUrl", "roles", "claims"] as const;

export function typedUser(form: URLSearchParams): EnteredUser {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, form.get(name) ?? ""]));
  return {
    ...texts as Record<(typeof TEXTS)[number], string>, // By these names.
    emailVerified: form.has("emailVerified"),
  };
}

const sameLines = (text: string): string => text.replaceAll(/\r\n?/g, "\n").trim();

/**
 * What a form changes of a user. What is left as it was is not sent, so that it stays exactly what
 * it was; an emptied text is null. Throws `INVALID_DOCUMENT` for malformed JSON.
 */
function changesIn(
  user: UserRecord | null,
  declared: readonly UserField[],
  form: URLSearchParams,
): { [member: string]: Json } {
  const before = enteredUser(user);
  const typed = typedUser(form);
  const changed = TEXTS.filter((name) => sameLines(typed[name]) !== sameLines(before[name]));
  const password = form.get("password") ?? "";
  const stored = user === null ? null : shownFields(declared, user.fields);
  const fields = readEntries({ definition: { fields: declared } }, stored, form);
  if (fields.faults.length > 0) throw unreadable(fields.faults);
  return {
    ...fields.members,
    ...Object.fromEntries(changed.map((name) => [name, valueOf(name, typed[name].trim())])),
    ...(password !== "" && { password }),
    ...(typed.emailVerified !== before.emailVerified && { emailVerified: typed.emailVerified }),
  };
}

function valueOf(name: (typeof TEXTS)[number], text: string): Json {
  if (name === "roles") return text.split(/[\s,]+/).filter((role) => role !== "");
  if (name === "claims") return claimsOf(text);
  return text === "" ? null : text;
}

/** Throws `INVALID_DOCUMENT` for malformed JSON. */
function claimsOf(text: string): Json {
  if (text === "") return {};
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw unreadable([notJson("claims", text, cause)]);
  }
}

/** A new user. Throws `INVALID_BODY`. */
export const newUserIn = (declared: readonly UserField[], form: URLSearchParams) =>
  parseInput(UserInput, changesIn(null, declared, form));

/** Changes of a user; null where nothing is other than it was. Throws `INVALID_BODY`. */
export function userChangesIn(
  user: UserRecord,
  declared: readonly UserField[],
  form: URLSearchParams,
) {
  const changes = changesIn(user, declared, form);
  return Object.keys(changes).length === 0 ? null : parseInput(ManagedUserChanges, changes);
}

const BUILT_IN = [...TEXTS, "password", "emailVerified"] as const;

export type UserMember = (typeof BUILT_IN)[number];

/** Refusals of a verb that are about one member. */
const MEMBERS: Partial<Record<ProblemCode, UserMember>> = {
  EMAIL_TAKEN: "email",
  USERNAME_TAKEN: "username",
  INVALID_PASSWORD: "password",
};

/** What is wrong, and where it is said. */
export interface UserRefusal {
  readonly at: ReadonlyMap<UserMember, string>;
  /** Of the fields that the project declares. */
  readonly faults: readonly FieldFault[];
  /** Null where all of it is said at its field. */
  readonly rest: Problem | null;
}

export function refusalOf(
  problem: Problem | null,
  declared: readonly UserField[],
): UserRefusal {
  // A conflict is said with a choice of what to do about it.
  if (problem === null || isConflict(problem)) return { at: new Map(), faults: [], rest: null };
  const member = MEMBERS[problem.code];
  if (member !== undefined) {
    return { at: new Map([[member, problem.message]]), faults: [], rest: null };
  }
  const at = new Map<UserMember, string>();
  const faults: FieldFault[] = [];
  let isTold = problem.faults.length > 0;
  for (const fault of problem.faults) {
    const [first = ""] = fault.path.split(".");
    const built = BUILT_IN.find((name) => name === first);
    if (built !== undefined) at.set(built, sentence(fault));
    else if (declared.some(({ key }) => key === first)) faults.push(fault);
    else isTold = false;
  }
  return { at, faults, rest: isTold ? null : problem };
}

/** Contracts say whole sentences, verbs what follows the name. */
const sentence = ({ path, message }: FieldFault): string =>
  message.startsWith('"') ? message : `"${path}" ${message}.`;
