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
import type * as webhooks from "@/openapi/paths/webhooks.ts";
import type { HandlerOf } from "../handler.ts";

export const handleCreateWebhook: HandlerOf<typeof webhooks.createWebhook> = async (c) => {
  const { services, principal } = c.var;
  const created = await createWebhook(services, principal.project._id, c.req.valid("json"));
  return { ...ok(201, JSON.stringify(created), "Webhook created"), headers: [NO_STORE] };
};

export const handleListWebhooks: HandlerOf<typeof webhooks.listWebhooks> = async (c) => {
  const { services, principal } = c.var;
  const page = await listWebhooks(services, principal.project._id, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Webhooks listed");
};

export const handleGetWebhook: HandlerOf<typeof webhooks.getWebhook> = async (c) => {
  const { services, principal } = c.var;
  const webhook = await getWebhook(services, principal.project._id, c.req.valid("param").id);
  return ok(200, JSON.stringify(webhook), "Webhook read");
};

export const handleUpdateWebhook: HandlerOf<typeof webhooks.updateWebhook> = async (c) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  const webhook = await updateWebhook(services, place, c.req.valid("json"));
  return ok(200, JSON.stringify(webhook), "Webhook saved");
};

export const handleDeleteWebhook: HandlerOf<typeof webhooks.deleteWebhook> = async (c) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  await deleteWebhook(services, place);
  return ok(200, '{"deleted":true}', "Webhook deleted");
};

export const handleRotateWebhookSecret: HandlerOf<typeof webhooks.rotateWebhookSecret> = async (
  c,
) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  const rotated = await rotateWebhookSecret(services, place);
  return { ...ok(200, JSON.stringify(rotated), "Secret rotated"), headers: [NO_STORE] };
};

export const handleTestWebhook: HandlerOf<typeof webhooks.testWebhook> = async (c) => {
  const { services, principal } = c.var;
  const place = { projectId: principal.project._id, webhookId: c.req.valid("param").id };
  return ok(200, JSON.stringify(await testWebhook(services, place)), "Webhook tested");
};
