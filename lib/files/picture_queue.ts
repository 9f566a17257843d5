/** A size of a picture that waits to be made, or is being made. */
export interface PictureJob {
  readonly projectId: string;
  /** Clients that wait for it, as often as they do. */
  readonly clients: readonly string[];
}

/** How many projects and clients are remembered: more than may wait. */
const SERVED_KEPT = 1_000;

/**
 * Jobs that wait their turn. The next one is that of the project and the client that were served the
 * longest ago, whichever of both was served later: neither one project with many clients nor one
 * client with pictures of many projects holds up the others.
 */
export class PictureQueue<J extends PictureJob> {
  readonly #waiting = new Set<J>();
  /** By project or client, the number of the last job that was taken for it. The oldest is first. */
  readonly #served = new Map<string, number>();
  #taken = 0;

  add(job: J): void {
    this.#waiting.add(job);
  }

  /** Returns whether the job was still waiting. */
  remove(job: J): boolean {
    return this.#waiting.delete(job);
  }

  /** Takes the next job; undefined where none waits. */
  next(): J | undefined {
    let [next, least]: [J | undefined, number] = [undefined, Infinity];
    for (const job of this.#waiting) {
      const servedAt = this.#servedAt(job);
      if (servedAt < least) [next, least] = [job, servedAt];
    }
    if (next === undefined) return undefined;
    this.#waiting.delete(next);
    this.#taken++;
    for (const key of [projectKey(next), ...next.clients.map(clientKey)]) this.#note(key);
    return next;
  }

  /** A job that several clients wait for comes as early as that of any of them. */
  #servedAt(job: J): number {
    const lastOf = (key: string) => this.#served.get(key) ?? 0;
    return Math.max(
      lastOf(projectKey(job)),
      Math.min(...job.clients.map((client) => lastOf(clientKey(client)))),
    );
  }

  #note(key: string): void {
    this.#served.delete(key);
    this.#served.set(key, this.#taken);
    if (this.#served.size > SERVED_KEPT) this.#served.delete(this.#served.keys().next().value!);
  }
}

const projectKey = ({ projectId }: PictureJob): string => `project ${projectId}`;
const clientKey = (client: string): string => `client ${client}`;
