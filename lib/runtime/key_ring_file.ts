import type { Log } from "./log.ts";
import { StoreMismatch } from "../store/errors.ts";
import { KEY_BYTES } from "../crypto/key_ring.ts";

/**
 * Reads or creates the key ring file, linking a complete one, so that concurrent starts read one
 * ring. Throws `StoreMismatch` if it is missing. @param mayCreate Whether no value can be sealed.
 */
export async function openKeyRingFile(
  folder: string,
  log: Log,
  mayCreate: () => Promise<boolean>,
): Promise<string> {
  const path = `${folder}/secret-keys`;
  const stored = await readIfExists(path);
  if (stored !== null) return stored;
  if (!await mayCreate()) {
    // Another process may have created the file and sealed values since.
    return await readIfExists(path) ?? missingKeyRing(path);
  }
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toBase64();
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await writeDurably(draft, `key1:${key}\n`);
    await Deno.link(draft, path);
    using directory = await Deno.open(folder);
    await directory.sync();
    log.write(
      "warn",
      "Created a key ring in the data folder. Keep a copy of it apart from the data",
      { path },
    );
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {}); // Writing it may have failed.
  }
  return (await Deno.readTextFile(path)).trim();
}

function missingKeyRing(path: string): never {
  throw new StoreMismatch(
    `The key ring "${path}" is missing, which is needed to decrypt the secrets in this folder: ` +
      "put back its copy, or set SECRET_KEYS",
  );
}

/** Writes and syncs a file before it is linked, so that a power failure cannot leave it empty. */
async function writeDurably(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(path)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
