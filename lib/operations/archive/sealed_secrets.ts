import { randomBytes, scrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import { KEY_BYTES, KeyRing } from "../../crypto/key_ring.ts";
import { decodeBase64 } from "../../crypto/base64.ts";
import { Problem } from "../../problems.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Json } from "../../store/port.ts";
import { SECRETS, type Secrets } from "./format.ts";
import { parseSecrets, parseWithSchema } from "./reader.ts";

/** Number of characters. Attempts on a stolen archive cannot be limited. */
export const PASSPHRASE_LENGTH_MIN = 12;

/** The minimum that OWASP recommends for scrypt, which uses 128 MiB. */
const SCRYPT_COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;
const SALT_BYTES = 16;
const BINDING = { project: "archive", purpose: "secrets" };

const SealedSecrets = z.strictObject({
  /** The function that derives the key from the passphrase. */
  kdf: z.literal("scrypt N=131072 r=8 p=1"),
  salt: z.base64(),
  sealed: z.string(),
});

/** Throws `INVALID_INPUT`. */
export async function sealSecrets(secrets: Secrets, passphrase: string): Promise<Json> {
  if (passphrase.length < PASSPHRASE_LENGTH_MIN) {
    throw new Problem("INVALID_INPUT", {
      message: `The passphrase must have ${PASSPHRASE_LENGTH_MIN} characters or more.`,
    });
  }
  const salt = randomBytes(SALT_BYTES);
  const ring = await deriveKeyRing(passphrase, salt);
  const sealed = await ring.seal(JSON.stringify(secrets), BINDING);
  return { kdf: "scrypt N=131072 r=8 p=1", salt: salt.toBase64(), sealed };
}

/** Throws `INVALID_INPUT`, also for a wrong passphrase. */
export async function openSecrets(stored: Json, passphrase: string): Promise<Secrets> {
  const { salt, sealed } = parseWithSchema(SECRETS, SealedSecrets, stored);
  const ring = await deriveKeyRing(passphrase, decodeBase64(salt));
  let text: string;
  try {
    text = await ring.open(sealed, BINDING);
  } catch {
    throw new Problem("INVALID_INPUT", {
      message: "The passphrase is wrong, or the secrets of the archive were altered.",
    });
  }
  return parseSecrets(parseJson(text));
}

const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Uint8Array>(scrypt);

async function deriveKeyRing(passphrase: string, salt: Uint8Array): Promise<KeyRing> {
  const key = await deriveKey(passphrase.normalize("NFC"), salt, KEY_BYTES, SCRYPT_COST);
  return await KeyRing.parse(`archive:${key.toBase64()}`);
}
