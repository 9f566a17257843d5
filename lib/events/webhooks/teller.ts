import { createReadThrough, type ReadThrough } from "../../cache.ts";
import { KeyedMutex } from "../../keyed_mutex.ts";
import type { Id } from "../../store/port.ts";
import { enabledWebhooks } from "./deliveries.ts";
import { type TellServices, tellWebhooks } from "./tell.ts";

/** Projects that are remembered. */
const PROJECTS_KEPT = 5_000;
/** Changes that are noted within this time are delivered together. */
const GATHER_MS = 20;

interface Known {
  /** Whether the project has webhooks that are on. */
  readonly any: boolean;
}

/** Tells webhooks at once what this process changes. */
export class WebhookTeller implements AsyncDisposable {
  readonly #services: () => TellServices;
  readonly #haveWebhooks: ReadThrough<Known>;
  readonly #mutex = new KeyedMutex();
  readonly #waiting = new Map<Id, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  /** @param services Asked for when something is changed. */
  constructor(clock: TellServices["clock"], services: () => TellServices) {
    this.#services = services;
    // Read anew after some seconds: who has just switched one on is told of all before by then.
    this.#haveWebhooks = createReadThrough({ clock, max: PROJECTS_KEPT }, async (projectId) => {
      const { webhooks } = await enabledWebhooks(services(), projectId);
      return { any: webhooks.length > 0 };
    });
  }

  /** A webhook of the project was switched on or off by this process. */
  forget(projectId: Id): void {
    this.#haveWebhooks.drop(projectId);
  }

  /** This process has noted changes of the project, or is about to commit them. */
  noted(projectId: Id): void {
    if (this.#isStopped || this.#waiting.has(projectId)) return;
    const known = this.#haveWebhooks.get(projectId);
    if (!(known instanceof Promise) && !known?.any) return;
    if (known instanceof Promise) known.catch(() => {}); // It is asked again below.
    const { engine } = this.#services();
    const timer = setTimeout(() => {
      this.#waiting.delete(projectId);
      const run = this.#tell(projectId).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }, GATHER_MS + engine.changes.notedAheadMs);
    this.#waiting.set(projectId, timer);
  }

  /** Resolves when all is told that was noted until now. */
  async idle(): Promise<void> {
    while (this.#waiting.size + this.#running.size > 0) {
      await Promise.all(this.#running);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  async #tell(projectId: Id): Promise<void> {
    const services = this.#services();
    try {
      // By now one may have been switched on.
      const known = await this.#haveWebhooks.get(projectId);
      if (!known?.any || this.#isStopped) return;
      await this.#mutex.run(projectId, () => tellWebhooks(services, projectId));
    } catch (error) {
      services.log.write("warn", "Webhooks are told of changes later", {
        project: projectId,
        error: String(error),
      });
    }
  }
}
