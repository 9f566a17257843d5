import { type Clock, timestamp } from "../clock.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import type { NewId } from "../ids.ts";
import { AI_CHAT_MESSAGES_MAX, AI_CHAT_MS, AI_TURNS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { ProjectMember } from "../projects/members.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Engine, Filter, Json } from "../store/port.ts";
import type { Message } from "./model.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * What an account has talked about with the collection creator of a project. In the control space.
 */
export const AI_CHATS = recordKind({
  name: "aiChats",
  fields: {
    /** `<projectId> <accountId>`: there is one at a time. */
    chat: field.text,
    /** Turns on the platform's key. */
    turns: field.number,
    /** Whether its design is counted already. */
    isCounted: field.flag,
    messages: field.shaped<{ role: Message["role"]; content: string }[]>({ type: "Array" }),
    expiresAt: field.date,
    /** Definitions that were proposed last; null before there are any. */
    proposal: field.undeclared<Json[] | null>(),
  },
  indexes: [{ keys: [{ path: "chat", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
});

export type ChatRecord = RecordOf<typeof AI_CHATS>;

export interface ChatServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

const recordsOf = ({ engine }: Pick<ChatServices, "engine">) =>
  engine.records<ChatRecord>("control", AI_CHATS);

const chatKey = ({ project, account }: ProjectMember): string =>
  `${project._id} ${account.accountId}`;

const expiry = (clock: Clock): string => new Date(clock.now() + AI_CHAT_MS).toISOString();

const standing = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** The member's chat in this project; null where there is none, or it has passed away. */
export async function findChat(
  services: Pick<ChatServices, "engine" | "clock">,
  member: ProjectMember,
): Promise<ChatRecord | null> {
  const found = await recordsOf(services)
    .findOne(and(eq("chat", chatKey(member)), standing(services.clock)));
  return found?.value ?? null;
}

/** The member's chat, begun if there is none. */
export async function openChat(
  services: ChatServices,
  member: ProjectMember,
): Promise<ChatRecord> {
  const { clock, newId } = services;
  const records = recordsOf(services);
  const chat = chatKey(member);
  for (;;) {
    const found = await findChat(services, member);
    if (found !== null) return found;
    await records.deleteOne(and(eq("chat", chat), compare("expiresAt", "lte", timestamp(clock))));
    try {
      return (await records.insert({
        _id: newId(),
        chat,
        turns: 0,
        isCounted: false,
        messages: [],
        proposal: null,
        expiresAt: expiry(clock),
      })).value;
    } catch (error) {
      // Somebody else has begun it meanwhile, as the next look will find.
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
}

/** Resolves to whether there was one. */
export async function endChat(
  services: Pick<ChatServices, "engine" | "clock">,
  member: ProjectMember,
): Promise<boolean> {
  const ended = await recordsOf(services).deleteOne(eq("chat", chatKey(member)));
  return ended !== null && ended.value.expiresAt > timestamp(services.clock);
}

/**
 * Counts a turn on the platform's key before it is made; resolves to how many there are now. Throws
 * `AI_CAP_REACHED`.
 */
export async function takeTurn(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
  plan: string,
): Promise<number> {
  const taken = await recordsOf(services).updateOne(
    and(eq("_id", _id), compare("turns", "lt", AI_TURNS_MAX)),
    { increment: { turns: 1 } },
  );
  if (taken !== null) return taken.value.turns;
  throw new Problem("AI_CAP_REACHED", {
    message: `The ${AI_TURNS_MAX} turns of this chat on the ${plan} plan are used up: further ` +
      "ones are refused until a new chat is begun or a user key is configured.",
  });
}

export async function giveTurnBack(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
): Promise<void> {
  await recordsOf(services).updateOne(and(eq("_id", _id), compare("turns", "gt", 0)), {
    increment: { turns: -1 },
  });
}

/** Marks the chat's design as counted; resolves to false where it was already. */
export async function markCounted(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
): Promise<boolean> {
  const marked = await recordsOf(services)
    .updateOne(and(eq("_id", _id), eq("isCounted", false)), { set: { isCounted: true } });
  return marked !== null;
}

/** What a turn leaves behind. */
export interface TurnResult {
  readonly userMessage: string;
  readonly message: string;
  /** Null leaves the last proposal. */
  readonly proposal: readonly CollectionDefinition[] | null;
  /** Whether this turn's design is to be counted for the chat. */
  readonly counts: boolean;
}

/**
 * Adds a turn to a chat, the oldest messages giving way. Resolves to false where `counts` was asked
 * for and another turn at the same time was the one that counts. Of a chat that was ended meanwhile
 * nothing comes back.
 */
export async function addTurn(
  services: Pick<ChatServices, "engine" | "clock">,
  { _id }: ChatRecord,
  { userMessage, message, proposal, counts }: TurnResult,
): Promise<boolean> {
  const records = recordsOf(services);
  for (;;) {
    const now = await records.get(_id);
    if (now === null) return true;
    const messages: ChatRecord["messages"] = [
      ...now.value.messages,
      { role: "user", content: userMessage },
      { role: "assistant", content: message },
    ];
    const added = await records.updateOne(
      and(eq("_id", _id), { op: "revision", value: now.revision }),
      {
        set: {
          messages: messages.slice(-AI_CHAT_MESSAGES_MAX),
          expiresAt: expiry(services.clock),
          ...(proposal !== null && { proposal: parseJson(JSON.stringify(proposal)) }),
          ...(counts && { isCounted: true }),
        },
      },
    );
    if (added !== null) return !(counts && now.value.isCounted);
  }
}
