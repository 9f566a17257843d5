import { endChat } from "@/lib/ai/chats.ts";
import { applyProposal, type CreatorTurn, designCollections } from "@/lib/ai/design_collections.ts";
import { eventStream } from "@/lib/http/events.ts";
import { envelope, NO_STORE, ok, refusalText, type Reply } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type * as ai from "@/openapi/paths/ai.ts";
import { asProblem } from "../as_problem.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

export const handleDesignCollections: HandlerOf<typeof ai.designCollections> = async (c) => {
  const { userMessage } = c.req.valid("json");
  const asStream = /\btext\/event-stream\b/i.test(c.req.header("accept") ?? "");
  if (asStream) return await streamed(c, userMessage);
  const { services, principal } = c.var;
  const gone = c.req.raw.signal;
  const turn = await designCollections(services, principal, userMessage, { gone });
  return ok(200, JSON.stringify(turn), "Answered");
};

/**
 * The answer as events. A refusal before the first word is an answer of its own, as everywhere;
 * a later one is the last event.
 */
async function streamed(c: OperationContext<ProjectMember>, userMessage: string): Promise<Reply> {
  const { services, principal, state } = c.var;
  const events = eventStream(c.req.raw.signal);
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
    events.send("error", refusalText(state, asProblem(error, state, services.log)));
    events.end();
  };
  await Promise.race([begun.promise, work]);
  work.then(whole, failed);
  return { status: 200, body: events.body, type: "text/event-stream", headers: [NO_STORE] };
}

export const handleEndDesign: HandlerOf<typeof ai.endDesign> = async (c) => {
  const { services, principal } = c.var;
  const ended = await endChat(services, principal);
  return ok(200, JSON.stringify({ ended }), "Chat ended");
};

export const handleApplyDesign: HandlerOf<typeof ai.applyDesign> = async (c) => {
  const { services, principal } = c.var;
  const collections = await applyProposal(services, principal);
  return ok(201, JSON.stringify({ collections }), "Collections created");
};
