import type { Clock } from "../../clock.ts";
import type { KeyRing } from "../../crypto/key_ring.ts";
import { type Egress, EgressFailed } from "../../http/egress.ts";
import type { Id } from "../../store/port.ts";
import { postMessage } from "./post.ts";
import type { DeliveryRecord, WebhookRecord } from "./records.ts";
import { activeSecrets, signedHeaders } from "./signatures.ts";

export interface SendServices {
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly webhookEgress: Pick<Egress, "agents">;
}

/** Result of one try: either a status with the beginning of the response, or an error. */
export type SendResult = Pick<DeliveryRecord, "status" | "durationMs" | "answer" | "error">;

export async function sendSigned(
  services: SendServices,
  { projectId, webhook }: { readonly projectId: Id; readonly webhook: WebhookRecord },
  { id, body }: { readonly id: string; readonly body: string },
): Promise<SendResult> {
  const { clock, webhookEgress } = services;
  const at = clock.now();
  const secrets = await activeSecrets(services, projectId, { webhook, now: at });
  const headers = signedHeaders({ id, at, body }, secrets);
  const began = clock.elapsed();
  const took = () => Math.round(clock.elapsed() - began);
  try {
    const { status, text } = await postMessage(webhookEgress, new URL(webhook.url), {
      headers,
      body,
    });
    return { status, durationMs: took(), answer: text, error: null };
  } catch (error) {
    if (!(error instanceof EgressFailed)) throw error;
    return { status: null, durationMs: took(), answer: null, error: error.message };
  }
}

export const isSuccess = ({ status }: Pick<SendResult, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
