import { decodeBase64, decodeBase64Url, encodeBase64Url } from "./base64.ts";
import { sha256 } from "./hashes.ts";

/** Context of a sealed value. The value opens only under the binding with which it was sealed. */
export interface SealBinding {
  readonly project: string;
  readonly purpose: string;
}

interface RingKey {
  readonly id: string;
  readonly aes: CryptoKey;
  /** The key in base64url, from which other keys are derived. */
  readonly material: string;
}

const IV_BYTES = 12;
export const KEY_BYTES = 32;

/**
 * Encrypts values at rest with AES-256-GCM. A sealed value is `v1.<key id>.<iv>.<ciphertext>`. The
 * project and the purpose are bound as additional data, so a value that is copied to another
 * project or field does not open.
 */
export class KeyRing {
  readonly #keys: readonly RingKey[];

  private constructor(keys: readonly RingKey[]) {
    this.#keys = keys;
  }

  /** @param text `id:base64,…` with keys of 32 bytes. The first key seals, all keys open. */
  static async parse(text: string): Promise<KeyRing> {
    return new KeyRing(await Promise.all(parseKeys(text).map(importKey)));
  }

  async seal(plain: string, binding: SealBinding): Promise<string> {
    const key = this.#keys[0]!;
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: additionalData(key.id, binding) },
      key.aes,
      new TextEncoder().encode(plain),
    );
    return `v1.${key.id}.${encodeBase64Url(iv)}.${encodeBase64Url(new Uint8Array(sealed))}`;
  }

  /** Opens a value. Throws if it was altered or has another binding or an unknown key. */
  async open(sealed: string, binding: SealBinding): Promise<string> {
    const [version, id, iv, ciphertext, ...more] = sealed.split(".");
    const key = this.#keys.find((one) => one.id === id);
    if (version !== "v1" || iv === undefined || ciphertext === undefined || more.length > 0) {
      throw new Error("Cannot open a sealed value: it is malformed");
    }
    if (key === undefined) {
      throw new Error(`Cannot open a sealed value: SECRET_KEYS has no key "${id}"`);
    }
    const plain = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: decodeBase64Url(iv),
        additionalData: additionalData(key.id, binding),
      },
      key.aes,
      decodeBase64Url(ciphertext),
    );
    return new TextDecoder().decode(plain);
  }

  /** Seals a value under the first key; null if it is. Throws as {@linkcode open} does. */
  async reseal(sealed: string, binding: SealBinding): Promise<string | null> {
    const plain = await this.open(sealed, binding);
    if (sealed.startsWith(`v1.${this.#keys[0]!.id}.`)) return null;
    return await this.seal(plain, binding);
  }

  /** Returns a hash of each key that identifies it, in the order of the ring. */
  fingerprints(): readonly { readonly id: string; readonly fingerprint: string }[] {
    return this.#keys.map(({ id, material }) => ({
      id,
      fingerprint: sha256(`fingerprint\n${material}`),
    }));
  }

  /** Derives keys of 43 characters for one purpose. The first one signs, all of them verify. */
  derive(purpose: string): readonly string[] {
    return this.#keys.map((key) => sha256(`${purpose}\n${key.material}`));
  }
}

/** Returns the error in a `SECRET_KEYS` text, without key material; null if it is valid. */
export function keyRingProblem(text: string): string | null {
  try {
    parseKeys(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function parseKeys(text: string): { id: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const keys = text.split(",").map((entry, index) => {
    const [id = "", encoded, ...more] = entry.trim().split(":");
    // An entry without a colon may be the key itself, so the message does not repeat it.
    if (encoded === undefined || more.length > 0 || !/^[A-Za-z0-9_-]{1,32}$/.test(id)) {
      throw new Error(
        `key ${index + 1} must be id:base64, with an id of 1 to 32 letters, digits, - or _`,
      );
    }
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = decodeBase64(encoded);
    } catch {
      throw new Error(`key ${index + 1} is not base64`);
    }
    if (bytes.length !== KEY_BYTES) {
      throw new Error(`key ${index + 1} has ${bytes.length} bytes, not ${KEY_BYTES}`);
    }
    return { id, bytes };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) {
    throw new Error("two keys have the same id");
  }
  return keys;
}

async function importKey({ id, bytes }: { id: string; bytes: Uint8Array<ArrayBuffer> }) {
  const aes = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id, aes, material: encodeBase64Url(bytes) };
}

function additionalData(keyId: string, { project, purpose }: SealBinding): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["corbel", keyId, project, purpose]));
}
