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

/** Chats of accounts with the collection creator of a project. Stored in the control space. */
export const AI_CHATS = recordKind({
  name: "aiChats",
  fields: {
    /** `<projectId> <accountId>`, unique: an account has one chat per project. */
    chat: field.text,
    /** Number of turns with the server's key. */
    turns: field.number,
    isCounted: field.flag,
    messages: field.shaped<{ role: Message["role"]; content: string }[]>({ type: "Array" }),
    expiresAt: field.date,
    /** The last proposed definitions; null before the first proposal. */
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

const chatRecords = ({ engine }: Pick<ChatServices, "engine">) =>
  engine.records<ChatRecord>("control", AI_CHATS);

const chatKey = ({ project, account }: ProjectMember): string =>
  `${project._id} ${account.accountId}`;

const expiry = (clock: Clock): string => new Date(clock.now() + AI_CHAT_MS).toISOString();

const notExpiredAt = (clock: Clock): Filter => compare("expiresAt", "gt", timestamp(clock));

/** Returns the member's chat in the project, or null if there is none or it has expired. */
export async function findChat(
  services: Pick<ChatServices, "engine" | "clock">,
  member: ProjectMember,
): Promise<ChatRecord | null> {
  const found = await chatRecords(services)
    .findOne(and(eq("chat", chatKey(member)), notExpiredAt(services.clock)));
  return found?.value ?? null;
}

export async function openChat(
  services: ChatServices,
  member: ProjectMember,
): Promise<ChatRecord> {
  const { clock, newId } = services;
  const records = chatRecords(services);
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
      // A concurrent request has created the chat, which the next iteration finds.
      if (!(error instanceof UniqueViolation)) throw error;
    }
  }
}

/** Deletes the member's chat. Returns whether there was one. */
export async function endChat(
  services: Pick<ChatServices, "engine" | "clock">,
  member: ProjectMember,
): Promise<boolean> {
  const ended = await chatRecords(services).deleteOne(eq("chat", chatKey(member)));
  return ended !== null && ended.value.expiresAt > timestamp(services.clock);
}

/** Counts a turn before it is sent; returns the number of turns. Throws `AI_CAP_REACHED`. */
export async function countTurn(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
  plan: string,
): Promise<number> {
  const taken = await chatRecords(services).updateOne(
    and(eq("_id", _id), compare("turns", "lt", AI_TURNS_MAX)),
    { increment: { turns: 1 } },
  );
  if (taken !== null) return taken.value.turns;
  throw new Problem("AI_CAP_REACHED", {
    message: `The ${AI_TURNS_MAX} turns of this chat on the ${plan} plan are used up: further ` +
      "ones are refused until a new chat is started or a user key is configured.",
  });
}

export async function returnTurn(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
): Promise<void> {
  await chatRecords(services).updateOne(and(eq("_id", _id), compare("turns", "gt", 0)), {
    increment: { turns: -1 },
  });
}

/** Marks the chat's design as counted. Returns false if it was marked already. */
export async function markCounted(
  services: Pick<ChatServices, "engine">,
  { _id }: ChatRecord,
): Promise<boolean> {
  const marked = await chatRecords(services)
    .updateOne(and(eq("_id", _id), eq("isCounted", false)), { set: { isCounted: true } });
  return marked !== null;
}

export interface TurnResult {
  readonly userMessage: string;
  readonly message: string;
  /** The new proposal; null keeps the last one. */
  readonly proposal: readonly CollectionDefinition[] | null;
  /** Whether the turn has a design that counts for the chat. */
  readonly countsDesign: boolean;
}

/** Returns false if a concurrent turn has counted the design. Ignores a deleted chat. */
export async function addTurn(
  services: Pick<ChatServices, "engine" | "clock">,
  { _id }: ChatRecord,
  { userMessage, message, proposal, countsDesign: countsDesign }: TurnResult,
): Promise<boolean> {
  const records = chatRecords(services);
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
          ...(countsDesign && { isCounted: true }),
        },
      },
    );
    if (added !== null) return !(countsDesign && now.value.isCounted);
  }
}
