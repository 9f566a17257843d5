import type { Log } from "./log.ts";
import { StoreMismatch } from "../store/errors.ts";
import { KEY_BYTES } from "../crypto/key_ring.ts";

/**
 * The key ring of the embedded mode: a file in the data folder that only its owner can read, made
 * on first use. It is linked into place whole, so of two processes that start at once one makes it
 * and both read the same. Throws `StoreMismatch` where it is missing beside what it has sealed.
 *
 * @param mayMake Whether nothing can be sealed yet.
 */
export async function keptKeyRing(
  folder: string,
  log: Log,
  mayMake: () => Promise<boolean>,
): Promise<string> {
  const path = `${folder}/secret-keys`;
  const kept = await readIfThere(path);
  if (kept !== null) return kept;
  if (!await mayMake()) {
    // Made by another process just now, perhaps, with all that is there.
    return await readIfThere(path) ?? missing(path);
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
      "Made a key ring in the data folder: keep a copy of it, apart from the data",
      {
        path,
      },
    );
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {}); // It may not have come to be.
  }
  return (await Deno.readTextFile(path)).trim();
}

function missing(path: string): never {
  throw new StoreMismatch(
    `The key ring "${path}" is missing, without which what is sealed in this folder cannot be ` +
      "opened: put back its copy, or give the keys in SECRET_KEYS",
  );
}

/** On the disk before it is linked: a name must never lead to a file that a power cut emptied. */
async function writeDurably(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(path)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
