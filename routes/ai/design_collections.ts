import { endChat } from "@/lib/ai/chats.ts";
import { applyProposal, type CreatorTurn, designCollections } from "@/lib/ai/design_collections.ts";
import { eventStream } from "@/lib/http/events.ts";
import { envelope, NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type * as ai from "@/openapi/paths/ai.ts";
import type { Call, HandlerOf } from "../call.ts";

export const handleDesignCollections: HandlerOf<typeof ai.designCollections> = async (call) => {
  const { userMessage } = call.input;
  const asStream = /\btext\/event-stream\b/i.test(call.header("accept") ?? "");
  if (asStream) return await streamed(call, userMessage);
  const { services, principal } = call;
  const gone = call.gone();
  const turn = await designCollections(services, principal, userMessage, { gone });
  return ok(200, JSON.stringify(turn), "Answered");
};

/**
 * The answer as events. A refusal before the first word is an answer of its own, as everywhere;
 * a later one is the last event.
 */
async function streamed(call: Call<ProjectMember>, userMessage: string): Promise<Reply> {
  const { services, principal } = call;
  const events = eventStream(call.gone());
  const begun = Promise.withResolvers<void>();
  const work = designCollections(services, principal, userMessage, {
    gone: events.gone,
    onMessage(text) {
      events.send("message", JSON.stringify({ text }));
      begun.resolve();
    },
  });
  const whole = (turn: CreatorTurn) => {
    events.send("done", envelope(JSON.stringify(turn), "Answered"));
    events.end();
  };
  const failed = (error: unknown) => {
    events.send("error", call.refusal(error));
    events.end();
  };
  await Promise.race([begun.promise, work]);
  work.then(whole, failed);
  return { status: 200, body: events.body, type: "text/event-stream", headers: [NO_STORE] };
}

export const handleEndDesign: HandlerOf<typeof ai.endDesign> = async ({ services, principal }) => {
  const ended = await endChat(services, principal);
  return ok(200, JSON.stringify({ ended }), "Chat ended");
};

export const handleApplyDesign: HandlerOf<typeof ai.applyDesign> = async (
  { services, principal },
) => {
  const collections = await applyProposal(services, principal);
  return ok(201, JSON.stringify({ collections }), "Collections created");
};
