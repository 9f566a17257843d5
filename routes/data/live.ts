import { planLive } from "@/lib/events/live/plan.ts";
import { accessByKey } from "@/lib/events/live/listener_access.ts";
import { issueTicket } from "@/lib/events/live/tickets.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { LIVE_TICKET_SECONDS } from "@/lib/limits.ts";
import type { LIVE } from "@/openapi/paths/live.ts";
import type { HandlersOf } from "../handler.ts";

export const live: HandlersOf<typeof LIVE> = {
  listenToDocuments: async (c) => {
    const { services, principal: { caller, credentials, ticket }, state } = c.var;
    const userId = caller.kind === "secret" ? null : caller.userId;
    const body = await services.liveLists.open({
      holder: state.budgetHolder,
      caller,
      collectionName: c.req.valid("param").collectionName,
      query: ticket?.query ?? state.query,
      lastEventId: c.req.valid("header")["last-event-id"] ?? ticket?.lastEventId ?? null,
      access: accessByKey(services, credentials, caller),
      listener: userId ?? `${caller.kind} ${state.network}`,
    });
    return { status: 200, body, type: "text/event-stream", isOpenEnded: true };
  },

  createLiveTicket: async (c) => {
    const { services, principal, state } = c.var;
    const { collectionName } = c.req.valid("param");
    const { query, lastEventId = null } = c.req.valid("json");
    await planLive(services, principal, { collectionName, query });
    const { apiKey, authorization, origin } = state;
    const credentials = { apiKey, authorization };
    const ticketInput = { collectionName, query, lastEventId, origin, credentials };
    const ticket = await issueTicket(services, principal.projectId, ticketInput);
    const url = `${services.config.publicUrl}${state.path}?ticket=${ticket}`;
    const data = JSON.stringify({ url, expiresIn: LIVE_TICKET_SECONDS });
    return { ...ok(201, data, "Ticket created"), headers: [NO_STORE] };
  },
};
