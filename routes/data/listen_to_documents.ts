import { standingOf } from "@/lib/events/live/standing.ts";
import type * as live from "@/openapi/paths/live.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListenToDocuments: HandlerOf<typeof live.listenToDocuments> = async (c) => {
  const { services, principal: { caller, credentials, ticket }, state } = c.var;
  const userId = caller.kind === "secret" ? null : caller.userId;
  const body = await services.liveLists.open({
    holder: state.caller,
    caller,
    collectionName: c.req.valid("param").collectionName,
    query: ticket?.query ?? state.query,
    lastEventId: c.req.valid("header")["last-event-id"] ?? ticket?.lastEventId ?? null,
    standing: standingOf(services, credentials, caller),
    listener: userId ?? `${caller.kind} ${state.network}`,
  });
  return { status: 200, body, type: "text/event-stream", isOpenEnded: true };
};
