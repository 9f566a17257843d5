import type { Engine } from "@/lib/store/port.ts";
import { withMethods } from "./with_methods.ts";

/** Returns an engine with replaced methods, whose disposal keeps the original engine open. */
export function engineOver(engine: Engine, otherwise: Partial<Engine>): Engine {
  return withMethods(engine, { ...otherwise, [Symbol.asyncDispose]: () => Promise.resolve() });
}
