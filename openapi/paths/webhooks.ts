import { WEBHOOK_LOG_DAYS, WEBHOOK_REPLAY_MAX, WEBHOOK_TIMEOUT_MS } from "@/lib/limits.ts";
import { answered, created } from "../answers.ts";
import { contract } from "../contract.ts";
import { deliveryId, pageQuery, projectId, webhookId } from "../parameters.ts";
import {
  CREATED_WEBHOOK_EXAMPLE,
  DeletedWebhook,
  Delivery,
  DELIVERY_EXAMPLE,
  DeliveryList,
  OVERLAP,
  QUEUED_DELIVERY_EXAMPLE,
  REPLAY_EXAMPLE,
  Replayed,
  REPLAYED_EXAMPLE,
  ReplayInput,
  ROTATED_WEBHOOK_EXAMPLE,
  TESTED_WEBHOOK_EXAMPLE,
  TestedWebhook,
  Webhook,
  WEBHOOK_CHANGE_EXAMPLE,
  WEBHOOK_EXAMPLE,
  WEBHOOK_INPUT_EXAMPLE,
  WebhookChange,
  WebhookInput,
  WebhookList,
  WebhookWithSecret,
  WHOLE_DELIVERY_EXAMPLE,
  WholeDelivery,
} from "../schemas/webhook.ts";
import { projectMember } from "../security.ts";

const TAG = "Webhooks";
const PATH = "/api/projects/{projectId}/webhooks";
const ONE = `${PATH}/{id}` as const;
const DELIVERIES = `${ONE}/deliveries` as const;

const params = { projectId, id: webhookId };
const ofDelivery = { ...params, deliveryId };

export const createWebhook = contract({
  operationId: "createWebhook",
  tag: TAG,
  method: "post",
  path: PATH,
  summary: "Create a webhook for the project's admins",
  description: "The address is sent each change that `events` names, from now on: signed as the " +
    "Standard Webhooks specification says, those of one document in their order, each until it " +
    "is answered with 2xx. The secret is shown this once.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: WebhookInput,
    example: WEBHOOK_INPUT_EXAMPLE,
    description: "Its name, where messages are sent, and what it is told.",
  },
  success: created("Webhook created", "The webhook with its secret.", {
    data: WebhookWithSecret,
    example: CREATED_WEBHOOK_EXAMPLE,
  }),
  problems: ["INVALID_INPUT", "PLAN_LIMIT_REACHED"],
});

export const listWebhooks = contract({
  operationId: "listWebhooks",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "List webhooks for the project's members",
  description: "The newest first, without their secrets.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: answered("Webhooks listed", "A page of webhooks.", {
    data: WebhookList,
    example: { items: [WEBHOOK_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const getWebhook = contract({
  operationId: "getWebhook",
  tag: TAG,
  method: "get",
  path: ONE,
  summary: "Get a webhook for the project's members",
  description: "Without its secret.",
  security: projectMember("viewer"),
  params,
  success: answered("Webhook read", "The webhook.", { data: Webhook, example: WEBHOOK_EXAMPLE }),
  problems: ["WEBHOOK_NOT_FOUND"],
});

export const updateWebhook = contract({
  operationId: "updateWebhook",
  tag: TAG,
  method: "patch",
  path: ONE,
  summary: "Change a webhook for the project's admins",
  description: "What is left out stays as it is. Messages that wait go to the new address; those " +
    "that wait for a webhook that is off fail, and can be sent again.",
  security: projectMember("admin"),
  params,
  body: {
    schema: WebhookChange,
    example: WEBHOOK_CHANGE_EXAMPLE,
    description: "What is to be another.",
  },
  success: answered("Webhook saved", "The webhook as it is now.", {
    data: Webhook,
    example: { ...WEBHOOK_EXAMPLE, enabled: false },
  }),
  problems: ["INVALID_INPUT", "WEBHOOK_NOT_FOUND"],
});

export const deleteWebhook = contract({
  operationId: "deleteWebhook",
  tag: TAG,
  method: "delete",
  path: ONE,
  summary: "Delete a webhook for the project's admins",
  description: "What waits for it is not sent any more.",
  security: projectMember("admin"),
  params,
  success: answered("Webhook deleted", "The webhook is gone.", {
    data: DeletedWebhook,
    example: { deleted: true as const },
  }),
  problems: ["WEBHOOK_NOT_FOUND"],
});

export const rotateWebhookSecret = contract({
  operationId: "rotateWebhookSecret",
  tag: TAG,
  method: "post",
  path: `${ONE}/rotate-secret`,
  summary: "Rotate a webhook's secret for the project's admins",
  description: `For ${OVERLAP} messages carry two signatures, by this secret and by the one ` +
    "before. Rotated again, the oldest holds no longer at once.",
  security: projectMember("admin"),
  params,
  success: answered("Secret rotated", "The webhook with its new secret.", {
    data: WebhookWithSecret,
    example: ROTATED_WEBHOOK_EXAMPLE,
  }),
  problems: ["WEBHOOK_NOT_FOUND"],
});

export const testWebhook = contract({
  operationId: "testWebhook",
  tag: TAG,
  method: "post",
  path: `${ONE}/test`,
  summary: "Test a webhook for the project's admins",
  description: "Sends a message of the type `webhook.test`, also where the webhook is off, and " +
    "answers what came back. It is in no log, and is not tried again.",
  security: projectMember("admin"),
  params,
  success: answered("Webhook tested", "What the address answered, if it did.", {
    data: TestedWebhook,
    example: TESTED_WEBHOOK_EXAMPLE,
  }),
  extraMs: WEBHOOK_TIMEOUT_MS,
  problems: ["WEBHOOK_NOT_FOUND"],
});

export const listWebhookDeliveries = contract({
  operationId: "listWebhookDeliveries",
  tag: TAG,
  method: "get",
  path: DELIVERIES,
  summary: "List a webhook's messages for the project's members",
  description: `Those of the last ${WEBHOOK_LOG_DAYS} days, the newest first, with what came of ` +
    "the last try.",
  security: projectMember("viewer"),
  params,
  query: pageQuery,
  success: answered("Messages listed", "A page of messages, without what they say.", {
    data: DeliveryList,
    example: { items: [DELIVERY_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR", "WEBHOOK_NOT_FOUND"],
});

export const getWebhookDelivery = contract({
  operationId: "getWebhookDelivery",
  tag: TAG,
  method: "get",
  path: `${DELIVERIES}/{deliveryId}`,
  summary: "Get a webhook's message for the project's members",
  description: "With what is sent.",
  security: projectMember("viewer"),
  params: ofDelivery,
  success: answered("Message read", "The message.", {
    data: WholeDelivery,
    example: WHOLE_DELIVERY_EXAMPLE,
  }),
  problems: ["DELIVERY_NOT_FOUND", "WEBHOOK_NOT_FOUND"],
});

export const replayWebhookDelivery = contract({
  operationId: "replayWebhookDelivery",
  tag: TAG,
  method: "post",
  path: `${DELIVERIES}/{deliveryId}/replay`,
  summary: "Send a webhook's message again for the project's admins",
  description: "Under the same `webhook-id`, whatever came of it before, with tries of its own. " +
    "One that waits for its next try is tried now.",
  security: projectMember("admin"),
  params: ofDelivery,
  success: answered("Message queued", "The message is about to be sent.", {
    data: Delivery,
    example: QUEUED_DELIVERY_EXAMPLE,
  }),
  problems: ["DELIVERY_NOT_FOUND", "WEBHOOK_NOT_FOUND", "WEBHOOK_OFF"],
});

export const replayWebhookDeliveries = contract({
  operationId: "replayWebhookDeliveries",
  tag: TAG,
  method: "post",
  path: `${ONE}/replay`,
  summary: "Send a webhook's messages since a time again for the project's admins",
  description: "All that do not wait already, the oldest first, those of one document in their " +
    `order; ${WEBHOOK_REPLAY_MAX} at most.`,
  security: projectMember("admin"),
  params,
  body: {
    schema: ReplayInput,
    example: REPLAY_EXAMPLE,
    description: "Since when.",
  },
  success: answered("Messages queued", "How many are about to be sent.", {
    data: Replayed,
    example: REPLAYED_EXAMPLE,
  }),
  problems: ["WEBHOOK_NOT_FOUND", "WEBHOOK_OFF"],
});

/** In the order of the reference. */
export const WEBHOOKS = {
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDelivery,
  replayWebhookDeliveries,
};
