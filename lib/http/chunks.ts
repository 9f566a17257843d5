import { Problem } from "../problems.ts";
import { BoundedReader, ReadFailed } from "./bounded_reader.ts";

/** How long a body may take that is as long as a file. */
export interface ChunkLimits {
  /** Milliseconds in which something must arrive. */
  readonly stallMs: number;
  /** Milliseconds for all of it. */
  readonly wholeMs: number;
  /** Ends it with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * The body as it arrives, a chunk at a time, so that no more of it is held. A body that was cut off
 * ends as if it were whole: who knows its length counts. Throws `REQUEST_TIMEOUT`, and the reason of
 * the signal.
 *
 * A chunk is good until the next one is asked for: its memory is used again.
 *
 * @param arrived Told of every chunk.
 */
export async function* readChunks(
  { body }: Request,
  limits: ChunkLimits,
  arrived: () => void = () => {},
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  using reader = new BoundedReader(body, { ...limits, reusesMemory: true, onBytes: arrived });
  for (;;) {
    const chunk = await reader.read().catch(unlessBrokenOff);
    if (chunk === null) return;
    yield chunk;
  }
}

function unlessBrokenOff(error: unknown): null {
  if (!(error instanceof ReadFailed)) throw error;
  if (error.failure === "late") throw new Problem("REQUEST_TIMEOUT", { cause: error });
  return null;
}
