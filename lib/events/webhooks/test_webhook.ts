import { type Clock, timestamp } from "../../clock.ts";
import type { NewId } from "../../ids.ts";
import type { Engine } from "../../store/port.ts";
import { findWebhook } from "./manage.ts";
import { isSuccess, type SendResult, type SendServices, sendSigned } from "./send.ts";
import { messageId, type WebhookPath } from "./signatures.ts";

interface TestServices extends SendServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface TestedWebhook extends SendResult {
  readonly ok: boolean;
}

/** Sends a test, even if the webhook is off, without logging it. Throws `WEBHOOK_NOT_FOUND`. */
export async function testWebhook(
  services: TestServices,
  { projectId, webhookId }: WebhookPath,
): Promise<TestedWebhook> {
  const webhook = await findWebhook(services, projectId, webhookId);
  const body = JSON.stringify({
    type: "webhook.test",
    timestamp: timestamp(services.clock),
    data: { projectId, collection: null, id: null, actor: null, document: null, previous: null },
  });
  const id = messageId(services.newId());
  const result = await sendSigned(services, { projectId, webhook }, { id, body });
  return { ok: isSuccess(result), ...result };
}
