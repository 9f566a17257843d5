import { WEBHOOK_LOG_DAYS, WEBHOOK_REPLAY_MAX, WEBHOOK_TIMEOUT_MS } from "@/lib/limits.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { deliveryId, pageQuery, projectId, webhookId } from "../parameters.ts";
import {
  CREATED_WEBHOOK_EXAMPLE,
  DeletedWebhook,
  Delivery,
  DELIVERY_EXAMPLE,
  DeliveryList,
  FULL_DELIVERY_EXAMPLE,
  FullDelivery,
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
} from "../schemas/webhook.ts";
import { projectMember } from "../security.ts";

const TAG = "Webhooks";
const PATH = "/api/projects/{projectId}/webhooks";
const ONE = `${PATH}/{id}` as const;
const DELIVERIES = `${ONE}/deliveries` as const;

const params = { projectId, id: webhookId };
const deliveryParams = { ...params, deliveryId };

export const createWebhook = contract({
  operationId: "createWebhook",
  tag: TAG,
  method: "post",
  path: PATH,
  summary: "Create a webhook for the project's admins",
  description: "Sends each new change that `events` names to the address, signed by the Standard " +
    "Webhooks specification. Messages about one document are sent in order, each until it is " +
    "answered with 2xx. The secret is shown only once.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: WebhookInput,
    example: WEBHOOK_INPUT_EXAMPLE,
    description: "The webhook's name, address and events.",
  },
  success: createdAnswer("Webhook created", "The webhook with its secret.", {
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
  description: "The project's webhooks, newest first, without their secrets.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: okAnswer("Webhooks listed", "A page of webhooks.", {
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
  description: "One webhook, without its secret.",
  security: projectMember("viewer"),
  params,
  success: okAnswer("Webhook read", "The webhook.", { data: Webhook, example: WEBHOOK_EXAMPLE }),
  problems: ["WEBHOOK_NOT_FOUND"],
});

export const updateWebhook = contract({
  operationId: "updateWebhook",
  tag: TAG,
  method: "patch",
  path: ONE,
  summary: "Change a webhook for the project's admins",
  description: "Members that are left out stay unchanged. Queued messages go to the new address; " +
    "the queued messages of a disabled webhook fail, and can be sent again.",
  security: projectMember("admin"),
  params,
  body: {
    schema: WebhookChange,
    example: WEBHOOK_CHANGE_EXAMPLE,
    description: "The members to change.",
  },
  success: okAnswer("Webhook saved", "The changed webhook.", {
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
  description: "Deletes the webhook and its queued messages.",
  security: projectMember("admin"),
  params,
  success: okAnswer("Webhook deleted", "The webhook is deleted.", {
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
  description: `For ${OVERLAP}, messages carry two signatures, by the new and the previous ` +
    "secret. If it is rotated again, the oldest secret becomes invalid immediately.",
  security: projectMember("admin"),
  params,
  success: okAnswer("Secret rotated", "The webhook with its new secret.", {
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
  description: "Sends a message of the type `webhook.test`, even if the webhook is disabled, and " +
    "answers its result. The message is not logged and not retried.",
  security: projectMember("admin"),
  params,
  success: okAnswer("Webhook tested", "The answer of the address, if there was one.", {
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
  description: `Messages of the last ${WEBHOOK_LOG_DAYS} days, newest first, with the result of ` +
    "the last try.",
  security: projectMember("viewer"),
  params,
  query: pageQuery,
  success: okAnswer("Messages listed", "A page of messages, without their content.", {
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
  description: "One message, with its content.",
  security: projectMember("viewer"),
  params: deliveryParams,
  success: okAnswer("Message read", "The message.", {
    data: FullDelivery,
    example: FULL_DELIVERY_EXAMPLE,
  }),
  problems: ["DELIVERY_NOT_FOUND", "WEBHOOK_NOT_FOUND"],
});

export const replayWebhookDelivery = contract({
  operationId: "replayWebhookDelivery",
  tag: TAG,
  method: "post",
  path: `${DELIVERIES}/{deliveryId}/replay`,
  summary: "Send a webhook's message again for the project's admins",
  description: "Sends a message again under the same `webhook-id`, whatever its state, with new " +
    "tries. A message that waits for its next try is tried now.",
  security: projectMember("admin"),
  params: deliveryParams,
  success: okAnswer("Message queued", "The message is queued.", {
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
  description: "Sends all messages that are not queued already, oldest first, with those about " +
    `one document in order; ${WEBHOOK_REPLAY_MAX} at most.`,
  security: projectMember("admin"),
  params,
  body: {
    schema: ReplayInput,
    example: REPLAY_EXAMPLE,
    description: "The beginning of the period.",
  },
  success: okAnswer("Messages queued", "Number of queued messages.", {
    data: Replayed,
    example: REPLAYED_EXAMPLE,
  }),
  problems: ["WEBHOOK_NOT_FOUND", "WEBHOOK_OFF"],
});

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
