import {
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from "@/lib/events/webhooks/delivery_log.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as webhooks from "@/openapi/paths/webhooks.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListWebhookDeliveries: HandlerOf<typeof webhooks.listWebhookDeliveries> = async (
  c,
) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  const page = await listDeliveries(services, place, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Messages listed");
};

export const handleGetWebhookDelivery: HandlerOf<typeof webhooks.getWebhookDelivery> = async (
  c,
) => {
  const { services, principal } = c.var;
  const { id: webhookId, deliveryId } = c.req.valid("param");
  const place = { projectId: principal.project._id, webhookId, deliveryId };
  return ok(200, JSON.stringify(await getDelivery(services, place)), "Message read");
};

export const handleReplayWebhookDelivery: HandlerOf<typeof webhooks.replayWebhookDelivery> = async (
  c,
) => {
  const { services, principal } = c.var;
  const { id: webhookId, deliveryId } = c.req.valid("param");
  const place = { projectId: principal.project._id, webhookId, deliveryId };
  return ok(200, JSON.stringify(await replayDelivery(services, place)), "Message queued");
};

export const handleReplayWebhookDeliveries: HandlerOf<
  typeof webhooks.replayWebhookDeliveries
> = async (c) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  const replayed = await replayDeliveries(services, place, c.req.valid("json").since);
  return ok(200, JSON.stringify(replayed), "Messages queued");
};
