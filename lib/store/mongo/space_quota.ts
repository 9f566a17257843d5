import type { Db } from "mongodb";
import { Patience } from "../../patience.ts";
import { SpaceFull } from "../errors.ts";
import type { ByteQuota } from "../port.ts";
import { bytesIn } from "./bytes.ts";

/** How long a sum serves later writes, in milliseconds. */
const SUM_MS = 1_000;
/** Later writes may add this part of what was free at the sum; what is more needs another sum. */
const PARTS = 16;
/** How long a write waits for writes in flight that may fail or need less, in milliseconds. */
const WAIT_MS = 3_000;

/**
 * Holds one space to a {@linkcode ByteQuota}, as far as this process knows. The server sums what is
 * stored; this process adds what it has admitted itself since. Other processes' writes that are in
 * flight at the moment of a sum are not seen, and may take the space beyond the quota.
 */
export class SpaceQuota {
  readonly #db: Db;
  /** Bytes of all writes that were ever admitted. */
  #admitted = 0;
  /** Bytes of those that have ended, whether they were stored or not. */
  #ended = 0;
  /** What the server had stored at the last sum. */
  #stored = 0;
  /** What had ended before the last sum began; it may have missed everything else. */
  #endedBefore = 0;
  /** When the last sum began, by `performance.now()`. */
  #summedAt = -Infinity;
  #summing: Promise<void> | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Admits a write that adds bytes at most, until the result is disposed of. Throws `SpaceFull`. */
  async admit(quota: ByteQuota, bytes: number): Promise<Disposable> {
    const came = performance.now();
    for (const patience = new Patience(); !this.#isAdmissible(quota, bytes, came);) {
      if (this.#summedAt >= came) {
        if (this.#unsummed === 0 || patience.isOver(WAIT_MS)) throw new SpaceFull(quota.bytesMax);
        await patience.pause();
      }
      await (this.#summing ??= this.#sum(quota).finally(() => this.#summing = null));
    }
    this.#admitted += bytes;
    return { [Symbol.dispose]: () => void (this.#ended += bytes) };
  }

  /** Bytes of this process's writes that the last sum may have missed. */
  get #unsummed(): number {
    return this.#admitted - this.#endedBefore;
  }

  #isAdmissible({ bytesMax }: ByteQuota, bytes: number, came: number): boolean {
    const free = bytesMax - this.#stored;
    if (this.#summedAt >= came) return this.#unsummed + bytes <= free;
    const isRecent = performance.now() - this.#summedAt < SUM_MS;
    return isRecent && this.#unsummed + bytes <= free / PARTS;
  }

  async #sum({ alsoCounted }: ByteQuota): Promise<void> {
    const [summedAt, endedBefore] = [performance.now(), this.#ended];
    this.#stored = await bytesIn(this.#db, alsoCounted);
    this.#summedAt = summedAt;
    this.#endedBefore = endedBefore;
  }
}
