export interface PictureJob {
  readonly projectId: string;
  /** Clients that wait for the result, one entry per request. */
  readonly clients: readonly string[];
}

/** Number of projects and clients that are remembered. It is above the number that may wait. */
const SERVED_KEPT = 1_000;

/** A fair queue: a job ranks by the later time at which its project and its client were served. */
export class PictureQueue<J extends PictureJob> {
  readonly #waiting = new Set<J>();
  /** Number of the last job that was taken for each project or client, least recent first. */
  readonly #served = new Map<string, number>();
  #taken = 0;

  add(job: J): void {
    this.#waiting.add(job);
  }

  /** Returns whether the job was still waiting. */
  remove(job: J): boolean {
    return this.#waiting.delete(job);
  }

  next(): J | undefined {
    let [next, leastRank]: [J | undefined, number] = [undefined, Infinity];
    for (const job of this.#waiting) {
      const rank = this.#rankOf(job);
      if (rank < leastRank) [next, leastRank] = [job, rank];
    }
    if (next === undefined) return undefined;
    this.#waiting.delete(next);
    this.#taken++;
    for (const key of [projectKey(next), ...next.clients.map(clientKey)]) this.#markServed(key);
    return next;
  }

  /** Returns the rank of a job. If several clients wait for it, the earliest one counts. */
  #rankOf(job: J): number {
    const lastOf = (key: string) => this.#served.get(key) ?? 0;
    return Math.max(
      lastOf(projectKey(job)),
      Math.min(...job.clients.map((client) => lastOf(clientKey(client)))),
    );
  }

  #markServed(key: string): void {
    this.#served.delete(key);
    this.#served.set(key, this.#taken);
    if (this.#served.size > SERVED_KEPT) this.#served.delete(this.#served.keys().next().value!);
  }
}

const projectKey = ({ projectId }: PictureJob): string => `project ${projectId}`;
const clientKey = (client: string): string => `client ${client}`;
