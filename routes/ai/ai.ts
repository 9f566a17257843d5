import { buildQuery, type BuiltQuery } from "@/lib/ai/build_query.ts";
import { endChat } from "@/lib/ai/chats.ts";
import { applyProposal, type CreatorTurn, designCollections } from "@/lib/ai/design_collections.ts";
import { saveAccountKey, saveProjectKey } from "@/lib/ai/keys.ts";
import { getAiUsage } from "@/lib/ai/usage.ts";
import { eventStream } from "@/lib/http/events.ts";
import { envelope, NO_STORE, ok, problemText, type Reply } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { AI } from "@/openapi/paths/ai.ts";
import { asProblem } from "../as_problem.ts";
import type { HandlersOf, OperationContext } from "../handler.ts";

const savedReply = (hasAiKey: boolean): Reply =>
  ok(200, JSON.stringify({ hasAiKey }), hasAiKey ? "AI key saved" : "AI key cleared");

export const ai: HandlersOf<typeof AI> = {
  setAccountAiKey: async (c) => {
    const { services, principal } = c.var;
    return savedReply(await saveAccountKey(services, principal, c.req.valid("json").aiKey));
  },

  setProjectAiKey: async (c) => {
    const { services, principal } = c.var;
    return savedReply(await saveProjectKey(services, principal, c.req.valid("json").aiKey));
  },

  getAiUsage: async (c) => {
    const { services, principal } = c.var;
    const usage = await getAiUsage(services, principal);
    return ok(200, JSON.stringify(usage), "AI usage read");
  },

  buildQuery: async (c) => {
    const { services, principal } = c.var;
    const built = await buildQuery(services, principal, c.req.valid("json"), c.req.raw.signal);
    return ok(200, builtQueryText(built), "Query built");
  },

  designCollections: async (c) => {
    const { userMessage } = c.req.valid("json");
    const asStream = /\btext\/event-stream\b/i.test(c.req.header("accept") ?? "");
    if (asStream) return await streamAnswer(c, userMessage);
    const { services, principal } = c.var;
    const gone = c.req.raw.signal;
    const turn = await designCollections(services, principal, userMessage, { signal: gone });
    return ok(200, JSON.stringify(turn), "Answered");
  },

  applyDesign: async (c) => {
    const { services, principal } = c.var;
    const collections = await applyProposal(services, principal);
    return ok(201, JSON.stringify({ collections }), "Collections created");
  },

  endDesign: async (c) => {
    const { services, principal } = c.var;
    const ended = await endChat(services, principal);
    return ok(200, JSON.stringify({ ended }), "Chat ended");
  },
};

/** Returns the JSON text of a query, with the previewed documents as their stored texts. */
function builtQueryText({ preview, filters, dropped, sort, query }: BuiltQuery): string {
  const text = jsonText({
    filters: filters.map((one) => ({ ...one })),
    sort,
    query,
    dropped: dropped.map((one) => ({ ...one })),
  });
  if (preview === undefined) return text;
  const previewText = preview === null
    ? "null"
    : `{"items":[${preview.items}],"total":${preview.total}}`;
  return `${text.slice(0, -1)},"preview":${previewText}}`;
}

/** Sends the answer as events. A problem after the first message is sent as the last event. */
async function streamAnswer(
  c: OperationContext<ProjectMember>,
  userMessage: string,
): Promise<Reply> {
  const { services, principal, state } = c.var;
  const events = eventStream(c.req.raw.signal);
  const firstMessage = Promise.withResolvers<void>();
  const work = designCollections(services, principal, userMessage, {
    signal: events.gone,
    onMessage(text) {
      events.send("message", JSON.stringify({ text }));
      firstMessage.resolve();
    },
  });
  const finish = (turn: CreatorTurn) => {
    events.send("done", envelope(JSON.stringify(turn), "Answered"));
    events.end();
  };
  const fail = (error: unknown) => {
    events.send("error", problemText(state, asProblem(error, state, services.log)));
    events.end();
  };
  await Promise.race([firstMessage.promise, work]);
  work.then(finish, fail);
  return { status: 200, body: events.body, type: "text/event-stream", headers: [NO_STORE] };
}
