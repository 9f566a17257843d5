import { Problem } from "../problems.ts";
import { BoundedReader, ReadFailed } from "./bounded_reader.ts";

export interface ChunkLimits {
  /** Milliseconds in which the next bytes must arrive. */
  readonly stallMs: number;
  /** Milliseconds for the entire body. */
  readonly totalMs: number;
  /** Makes reading throw its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Yields chunks, each valid until the next one. A body that was cut off ends like a complete one,
 * so callers must compare its length. Throws `REQUEST_TIMEOUT` and the reason of the signal.
 */
export async function* readChunks(
  { body }: Request,
  limits: ChunkLimits,
  arrived: () => void = () => {},
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  using reader = new BoundedReader(body, { ...limits, reusesMemory: true, onBytes: arrived });
  for (;;) {
    const chunk = await reader.read().catch(endIfBrokenOff);
    if (chunk === null) return;
    yield chunk;
  }
}

function endIfBrokenOff(error: unknown): null {
  if (!(error instanceof ReadFailed)) throw error;
  if (error.failure === "late") throw new Problem("REQUEST_TIMEOUT", { cause: error });
  return null;
}
