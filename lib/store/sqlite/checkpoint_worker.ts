/** The worker that runs checkpoints, so that they do not block the event loop. */
import { checkpoint, type CheckpointOutcome, type CheckpointTask } from "./checkpoint.ts";

interface Scope {
  /** Null asks whether the worker is ready. */
  onmessage: ((event: MessageEvent<CheckpointTask | null>) => void) | null;
  postMessage(outcome: CheckpointOutcome | null): void;
}

/** The global scope of a worker, which the type checker does not know here. */
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => scope.postMessage(data === null ? null : checkpoint(data));
