import { planLive } from "@/lib/events/live/plan.ts";
import { issueTicket } from "@/lib/events/live/tickets.ts";
import { LIVE_TICKET_SECONDS } from "@/lib/limits.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type * as live from "@/openapi/paths/live.ts";
import type { HandlerOf } from "../handler.ts";

export const handleCreateLiveTicket: HandlerOf<typeof live.createLiveTicket> = async (c) => {
  const { services, principal, state } = c.var;
  const { collectionName } = c.req.valid("param");
  const { query, lastEventId = null } = c.req.valid("json");
  await planLive(services, principal, { collectionName, query });
  const { apiKey, authorization, origin } = state;
  const credentials = { apiKey, authorization };
  const asked = { collectionName, query, lastEventId, origin, credentials };
  const ticket = await issueTicket(services, principal.projectId, asked);
  const url = `${services.config.publicUrl}${state.path}?ticket=${ticket}`;
  const data = JSON.stringify({ url, expiresIn: LIVE_TICKET_SECONDS });
  return { ...ok(201, data, "Ticket created"), headers: [NO_STORE] };
};
