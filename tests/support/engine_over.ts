import type { Engine } from "@/lib/store/port.ts";
import { changed } from "./changed.ts";

/** An engine that does some things otherwise, and all else as the one beneath, which stays its owner's. */
export function engineOver(engine: Engine, otherwise: Partial<Engine>): Engine {
  return changed(engine, { ...otherwise, [Symbol.asyncDispose]: () => Promise.resolve() });
}
