import {
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from "@/lib/events/webhooks/delivery_log.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "@/lib/events/webhooks/manage.ts";
import { testWebhook } from "@/lib/events/webhooks/test_webhook.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { WEBHOOKS } from "@/openapi/paths/webhooks.ts";
import type { HandlersOf } from "../handler.ts";

export const webhooks: HandlersOf<typeof WEBHOOKS> = {
  createWebhook: async (c) => {
    const { services, principal } = c.var;
    const created = await createWebhook(services, principal.project._id, c.req.valid("json"));
    return { ...ok(201, JSON.stringify(created), "Webhook created"), headers: [NO_STORE] };
  },

  listWebhooks: async (c) => {
    const { services, principal } = c.var;
    const page = await listWebhooks(services, principal.project._id, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Webhooks listed");
  },

  getWebhook: async (c) => {
    const { services, principal } = c.var;
    const webhook = await getWebhook(services, principal.project._id, c.req.valid("param").id);
    return ok(200, JSON.stringify(webhook), "Webhook read");
  },

  updateWebhook: async (c) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    const webhook = await updateWebhook(services, place, c.req.valid("json"));
    return ok(200, JSON.stringify(webhook), "Webhook saved");
  },

  deleteWebhook: async (c) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    await deleteWebhook(services, place);
    return ok(200, '{"deleted":true}', "Webhook deleted");
  },

  rotateWebhookSecret: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    const rotated = await rotateWebhookSecret(services, place);
    return { ...ok(200, JSON.stringify(rotated), "Secret rotated"), headers: [NO_STORE] };
  },

  testWebhook: async (c) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    return ok(200, JSON.stringify(await testWebhook(services, place)), "Webhook tested");
  },

  listWebhookDeliveries: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    const page = await listDeliveries(services, place, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Messages listed");
  },

  getWebhookDelivery: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const { id: webhookId, deliveryId } = c.req.valid("param");
    const place = { projectId: principal.project._id, webhookId, deliveryId };
    return ok(200, JSON.stringify(await getDelivery(services, place)), "Message read");
  },

  replayWebhookDelivery: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const { id: webhookId, deliveryId } = c.req.valid("param");
    const place = { projectId: principal.project._id, webhookId, deliveryId };
    return ok(200, JSON.stringify(await replayDelivery(services, place)), "Message queued");
  },

  replayWebhookDeliveries: async (c) => {
    const { services, principal } = c.var;
    const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
    const replayed = await replayDeliveries(services, place, c.req.valid("json").since);
    return ok(200, JSON.stringify(replayed), "Messages queued");
  },
};
