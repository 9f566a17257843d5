import { WEBHOOK_TIMEOUT_MS } from "@/lib/limits.ts";
import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { replayByForm, replaySinceByForm, showDelivery } from "./deliveries.tsx";
import {
  createWebhookByForm,
  deleteWebhookByForm,
  rotateSecretByForm,
  saveWebhook,
  showNewWebhook,
  showWebhook,
  testWebhookByForm,
} from "./editor.tsx";
import { showWebhooks } from "./list.tsx";

const PATH = "/dashboard/projects/{projectId}/webhooks";
const ONE = `${PATH}/{webhookId}`;
const DELIVERY = `${ONE}/deliveries/{deliveryId}`;

export function webhookPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showWebhooks);
  mount(get(`${PATH}/new`, member("admin")), showNewWebhook);
  mount(post(`${PATH}/new`, member("admin")), createWebhookByForm);
  mount(get(ONE, member("viewer")), showWebhook);
  mount(post(ONE, member("admin")), saveWebhook);
  mount(post(`${ONE}/test`, member("admin"), { extraMs: WEBHOOK_TIMEOUT_MS }), testWebhookByForm);
  mount(post(`${ONE}/secret`, member("admin")), rotateSecretByForm);
  mount(post(`${ONE}/delete`, member("admin")), deleteWebhookByForm);
  mount(post(`${ONE}/replay`, member("admin")), replaySinceByForm);
  mount(get(DELIVERY, member("viewer")), showDelivery);
  mount(post(DELIVERY, member("admin")), replayByForm);
}
