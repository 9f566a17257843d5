import { type Clock, timestamp } from "../clock.ts";
import { asMembers } from "../documents/document.ts";
import { shown, textProblem } from "../documents/names.ts";
import { AVATAR_URL_LENGTH_MAX, PERSON_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Json } from "../store/port.ts";
import type { SignedInUser } from "./principals.ts";
import { type OwnMember, type UserRecord, USERS } from "./users.ts";

/** The signed-in user's own record. Throws `ACCESS_TOKEN_INVALID` where they were just deleted. */
export async function ownUser(
  { engine }: { engine: Engine },
  { projectId, userId }: SignedInUser,
): Promise<UserRecord> {
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
  return user.value;
}

/**
 * Changes what users may set themselves: `name`, `username` and `avatarUrl`, each a text or null. It
 * is remembered as their own, so that no provider changes it any more. Throws `INVALID_BODY`, and
 * `ACCESS_TOKEN_INVALID` as {@linkcode ownUser} does.
 */
export async function changeOwnUser(
  { engine, clock }: { engine: Engine; clock: Clock },
  { projectId, userId }: SignedInUser,
  body: Json,
): Promise<UserRecord> {
  const changes = changesOf(body);
  return await engine.transaction(projectId, async (tx) => {
    const users = tx.records<UserRecord>(USERS);
    const user = await users.get(userId);
    if (user === null) throw new Problem("ACCESS_TOKEN_INVALID");
    const own = new Set([...user.value.ownMembers ?? [], ...Object.keys(changes)]);
    const changed = await users.updateOne(eq("_id", userId), {
      set: { ...changes, ownMembers: [...own], updatedAt: timestamp(clock) },
    });
    return changed!.value; // Read in the same transaction.
  });
}

type Changes = { readonly [name in OwnMember]?: string | null };

const LENGTHS: Readonly<Record<OwnMember, number>> = {
  name: PERSON_NAME_LENGTH_MAX,
  username: USERNAME_LENGTH_MAX,
  avatarUrl: AVATAR_URL_LENGTH_MAX,
};

const isOwnMember = (name: string): name is OwnMember => Object.hasOwn(LENGTHS, name);

const refuse = (message: string) => new Problem("INVALID_BODY", { message });

function changesOf(body: Json): Changes {
  const entries = Object.entries(asMembers(body));
  if (entries.length === 0) throw refuse("Send name, username or avatarUrl.");
  return Object.fromEntries(entries.map(([name, value]) => {
    if (!isOwnMember(name)) {
      throw refuse(`${shown(name)} cannot be changed: send name, username or avatarUrl.`);
    }
    if (value === null) return [name, null];
    const problem = typeof value === "string" ? valueProblem(name, value) : "must be text or null";
    if (problem !== null) throw refuse(`"${name}" ${problem}.`);
    return [name, value];
  }));
}

const CONTROL = /\p{Cc}/u;

function valueProblem(name: OwnMember, text: string): string | null {
  const max = LENGTHS[name];
  if (text.trim() === "" || text.length > max) return `must have 1 to ${max} characters`;
  const problem = textProblem(text);
  if (problem !== null) return problem;
  if (CONTROL.test(text)) return "contains a control character";
  if (name !== "avatarUrl") return null;
  const isWeb = /^https:\/\/\S+$/.test(text) && URL.parse(text)?.protocol === "https:";
  return isWeb ? null : "must be an https address";
}
