import type { Db } from "mongodb";
import { Backoff } from "../../backoff.ts";
import { SpaceFull } from "../errors.ts";
import type { ByteQuota } from "../port.ts";
import { bytesIn } from "./bytes.ts";

/** Time in milliseconds for which a sum is used for later writes. */
const SUM_MS = 1_000;
/** Fraction of the free bytes at the last sum that later writes may add without a new sum. */
const FREE_PARTS = 16;
/** Time in milliseconds that a write waits for others, which may fail or need fewer bytes. */
const WAIT_MS = 3_000;

/**
 * Enforces a {@linkcode ByteQuota} on one space, as far as this process knows. The server sums the
 * stored bytes, and this process adds the writes it has admitted since. Writes of other processes
 * that are in progress at the time of a sum are not counted, and may exceed the quota.
 */
export class SpaceQuota {
  readonly #db: Db;
  /** Total bytes of all admitted writes. */
  #admitted = 0;
  /** Total bytes of admitted writes that have ended, successfully or not. */
  #ended = 0;
  /** Stored bytes at the last sum. */
  #stored = 0;
  /** Bytes of writes that had ended before the last sum, which may have missed others. */
  #endedBefore = 0;
  /** Start of the last sum, on the clock of `performance.now()`. */
  #summedAt = -Infinity;
  #summing: Promise<void> | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Admits a write of up to `bytes` bytes until it is disposed. Throws `SpaceFull`. */
  async admit(quota: ByteQuota, bytes: number): Promise<Disposable> {
    const requestedAt = performance.now();
    for (const backoff = new Backoff(); !this.#isAdmissible(quota, bytes, requestedAt);) {
      if (this.#summedAt >= requestedAt) {
        if (this.#unsummed === 0 || backoff.isOver(WAIT_MS)) throw new SpaceFull(quota.bytesMax);
        await backoff.pause();
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

  #isAdmissible({ bytesMax }: ByteQuota, bytes: number, requestedAt: number): boolean {
    const free = bytesMax - this.#stored;
    if (this.#summedAt >= requestedAt) return this.#unsummed + bytes <= free;
    const isRecent = performance.now() - this.#summedAt < SUM_MS;
    return isRecent && this.#unsummed + bytes <= free / FREE_PARTS;
  }

  async #sum({ alsoCounted }: ByteQuota): Promise<void> {
    const [summedAt, endedBefore] = [performance.now(), this.#ended];
    this.#stored = await bytesIn(this.#db, alsoCounted);
    this.#summedAt = summedAt;
    this.#endedBefore = endedBefore;
  }
}
