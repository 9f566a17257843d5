import type { UserRecord } from "@/lib/auth/users.ts";
import type { FieldFault, Problem, ProblemCode } from "@/lib/problems.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { declaredValues } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ManagedUserChanges, UserInput } from "@/openapi/schemas/user.ts";
import { isConflict } from "../components/forms.tsx";
import { invalidFields, readEntries } from "../documents/entered.ts";
import { jsonFieldFault } from "../json_faults.ts";

/** Values of the built-in members of a user in a form. Passwords are never sent back. */
export interface EnteredUser {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly username: string;
  readonly avatarUrl: string;
  /** Names of roles, separated by spaces. */
  readonly roles: string;
  /** JSON object, or an empty text. */
  readonly claims: string;
}

/** Returns the form's values of a stored user. @param user Null for a new user. */
export function toEnteredUser(user: UserRecord | null): EnteredUser {
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

const TEXT_MEMBERS = ["email", "name", "username", "avatarUrl", "roles", "claims"] as const;

export function readUser(form: URLSearchParams): EnteredUser {
  const texts = Object.fromEntries(TEXT_MEMBERS.map((name) => [name, form.get(name) ?? ""]));
  return {
    ...texts as Record<(typeof TEXT_MEMBERS)[number], string>,
    emailVerified: form.has("emailVerified"),
  };
}

const normalizeText = (text: string): string => text.replaceAll(/\r\n?/g, "\n").trim();

/** Returns the changed members; an emptied text is null. Throws `INVALID_DOCUMENT`. */
function findChanges(
  user: UserRecord | null,
  declared: readonly UserField[],
  form: URLSearchParams,
): { [member: string]: Json } {
  const before = toEnteredUser(user);
  const typed = readUser(form);
  const changed = TEXT_MEMBERS.filter((name) =>
    normalizeText(typed[name]) !== normalizeText(before[name])
  );
  const password = form.get("password") ?? "";
  const stored = user === null ? null : declaredValues(declared, user.fields);
  const fields = readEntries({ definition: { fields: declared } }, stored, form);
  if (fields.faults.length > 0) throw invalidFields(fields.faults);
  return {
    ...fields.members,
    ...Object.fromEntries(changed.map((name) => [name, parseValue(name, typed[name].trim())])),
    ...(password !== "" && { password }),
    ...(typed.emailVerified !== before.emailVerified && { emailVerified: typed.emailVerified }),
  };
}

function parseValue(name: (typeof TEXT_MEMBERS)[number], text: string): Json {
  if (name === "roles") return text.split(/[\s,]+/).filter((role) => role !== "");
  if (name === "claims") return parseClaims(text);
  return text === "" ? null : text;
}

/** Parses claims. Throws `INVALID_DOCUMENT` for malformed JSON. */
function parseClaims(text: string): Json {
  if (text === "") return {};
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw invalidFields([jsonFieldFault("claims", text, cause)]);
  }
}

/** Reads a new user from a form. Throws `INVALID_BODY`. */
export const readNewUser = (declared: readonly UserField[], form: URLSearchParams) =>
  parseInput(UserInput, findChanges(null, declared, form));

/** Reads changes of a user from a form, or null if nothing changes. Throws `INVALID_BODY`. */
export function readUserChanges(
  user: UserRecord,
  declared: readonly UserField[],
  form: URLSearchParams,
) {
  const changes = findChanges(user, declared, form);
  return Object.keys(changes).length === 0 ? null : parseInput(ManagedUserChanges, changes);
}

const BUILT_IN_MEMBERS = [...TEXT_MEMBERS, "password", "emailVerified"] as const;

export type UserMember = (typeof BUILT_IN_MEMBERS)[number];

/** Members by the codes of problems that concern one member. */
const MEMBER_BY_CODE: Partial<Record<ProblemCode, UserMember>> = {
  EMAIL_TAKEN: "email",
  USERNAME_TAKEN: "username",
  INVALID_PASSWORD: "password",
};

/** A problem by the places where the form shows it. */
export interface UserRefusal {
  readonly at: ReadonlyMap<UserMember, string>;
  /** Faults of fields that the project declares. */
  readonly faults: readonly FieldFault[];
  /** Problem for the head of the form, or null if the fields show all faults. */
  readonly rest: Problem | null;
}

export function locateRefusal(
  problem: Problem | null,
  declared: readonly UserField[],
): UserRefusal {
  // The form shows a conflict as a note with a choice.
  if (problem === null || isConflict(problem)) return { at: new Map(), faults: [], rest: null };
  const member = MEMBER_BY_CODE[problem.code];
  if (member !== undefined) {
    return { at: new Map([[member, problem.message]]), faults: [], rest: null };
  }
  const at = new Map<UserMember, string>();
  const faults: FieldFault[] = [];
  let isShownAtFields = problem.faults.length > 0;
  for (const fault of problem.faults) {
    const [first = ""] = fault.path.split(".");
    const built = BUILT_IN_MEMBERS.find((name) => name === first);
    if (built !== undefined) at.set(built, sentence(fault));
    else if (declared.some(({ key }) => key === first)) faults.push(fault);
    else isShownAtFields = false;
  }
  return { at, faults, rest: isShownAtFields ? null : problem };
}

/** Returns a fault as a sentence. Faults of contracts are already sentences. */
const sentence = ({ path, message }: FieldFault): string =>
  message.startsWith('"') ? message : `"${path}" ${message}.`;
