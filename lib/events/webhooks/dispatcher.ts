import { createReadThrough, type ReadThrough } from "../../cache.ts";
import { KeyedMutex } from "../../keyed_mutex.ts";
import type { Id } from "../../store/port.ts";
import { enabledWebhooks } from "./deliveries.ts";
import { dispatchChanges, type DispatchServices } from "./dispatch.ts";

/** Maximum number of cached projects. */
const PROJECTS_CACHED = 5_000;
/** Changes that are made within this time are dispatched together. */
const GATHER_MS = 20;

interface WebhookState {
  readonly hasEnabled: boolean;
}

/** Dispatches the changes of this process to webhooks as soon as they are committed. */
export class WebhookDispatcher implements AsyncDisposable {
  readonly #services: () => DispatchServices;
  readonly #webhookStates: ReadThrough<WebhookState>;
  readonly #mutex = new KeyedMutex();
  readonly #waiting = new Map<Id, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  /** @param services Called when a change is made. */
  constructor(clock: DispatchServices["clock"], services: () => DispatchServices) {
    this.#services = services;
    // May be seconds old: enabling records the position from which changes are dispatched.
    this.#webhookStates = createReadThrough({ clock, max: PROJECTS_CACHED }, async (projectId) => {
      const { webhooks } = await enabledWebhooks(services(), projectId);
      return { hasEnabled: webhooks.length > 0 };
    });
  }

  /** Drops the cache entry of a project whose webhooks this process has changed. */
  invalidate(projectId: Id): void {
    this.#webhookStates.drop(projectId);
  }

  /** Schedules a dispatch, because this process has committed changes or is about to. */
  schedule(projectId: Id): void {
    if (this.#isStopped || this.#waiting.has(projectId)) return;
    const state = this.#webhookStates.get(projectId);
    if (!(state instanceof Promise) && !state?.hasEnabled) return;
    if (state instanceof Promise) state.catch(() => {}); // The dispatch reads it again.
    const { engine } = this.#services();
    const timer = setTimeout(() => {
      this.#waiting.delete(projectId);
      const run = this.#dispatch(projectId).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }, GATHER_MS + engine.changes.recordedAheadMs);
    this.#waiting.set(projectId, timer);
  }

  /** Resolves when all scheduled changes are dispatched. */
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

  async #dispatch(projectId: Id): Promise<void> {
    const services = this.#services();
    try {
      // A webhook may have been enabled or disabled since.
      const state = await this.#webhookStates.get(projectId);
      if (!state?.hasEnabled || this.#isStopped) return;
      await this.#mutex.run(projectId, () => dispatchChanges(services, projectId));
    } catch (error) {
      services.log.write("warn", "Changes are delivered to webhooks later", {
        project: projectId,
        error: String(error),
      });
    }
  }
}
