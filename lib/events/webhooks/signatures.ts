import { Buffer } from "node:buffer";
import { createHmac, randomBytes } from "node:crypto";
import type { KeyRing } from "../../crypto/key_ring.ts";
import type { Id } from "../../store/port.ts";
import type { SealedField } from "../../crypto/sealed_field.ts";
import { type WebhookRecord, WEBHOOKS } from "./records.ts";

/** The Standard Webhooks specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
const PREFIX = "whsec_";

export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;

const bindingOf = (project: Id, webhookId: Id) => ({ project, purpose: `webhook ${webhookId}` });

/** Fields with sealed secrets. They share a binding, because a rotation copies the sealed text. */
export const WEBHOOK_SEALS: readonly SealedField[] = ["sealedSecret", "sealedFormerSecret"].map(
  (member) => ({
    definition: WEBHOOKS,
    member,
    binding: ({ _id }, projectId) => bindingOf(projectId!, _id),
  }),
);

export const sealSecret = (
  { keyRing }: { readonly keyRing: KeyRing },
  { projectId, webhookId }: WebhookPath,
  secret: string,
): Promise<string> => keyRing.seal(secret, bindingOf(projectId, webhookId));

export interface WebhookPath {
  readonly projectId: Id;
  readonly webhookId: Id;
}

/** The `webhook-id` of a message, which is equal in all tries. */
export const messageId = (deliveryId: Id): string => `msg_${deliveryId}`;

export interface SignedMessage {
  readonly id: string;
  /** Time of the try in milliseconds since 1970. The signed timestamp is in seconds. */
  readonly at: number;
  readonly body: string;
}

/** Returns the headers of the Standard Webhooks specification, with one signature per secret. */
export function signedHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const seconds = Math.floor(at / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}

export async function activeSecrets(
  { keyRing }: { readonly keyRing: KeyRing },
  projectId: Id,
  { webhook: { _id, sealedSecret, sealedFormerSecret, formerUntil }, now }: {
    readonly webhook: WebhookRecord;
    readonly now: number;
  },
): Promise<string[]> {
  const binding = bindingOf(projectId, _id);
  const secrets = [await keyRing.open(sealedSecret, binding)];
  if (sealedFormerSecret !== null && formerUntil !== null && Date.parse(formerUntil) > now) {
    secrets.push(await keyRing.open(sealedFormerSecret, binding));
  }
  return secrets;
}
