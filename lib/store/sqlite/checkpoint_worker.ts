/** Makes checkpoints on a thread of its own: an event loop that answers requests must not wait for them. */
import { checkpoint, type CheckpointOutcome, type CheckpointTask } from "./checkpoint.ts";

interface Scope {
  /** Null asks whether anybody is there. */
  onmessage: ((event: MessageEvent<CheckpointTask | null>) => void) | null;
  postMessage(outcome: CheckpointOutcome | null): void;
}

/** The global scope of a worker, for which the checker of types has no name here. */
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => scope.postMessage(data === null ? null : checkpoint(data));
