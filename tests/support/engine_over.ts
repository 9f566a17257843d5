import type { Engine } from "@/lib/store/port.ts";

/** An engine that does some things otherwise, and all else as the one beneath, which stays its owner's. */
export function engineOver(engine: Engine, otherwise: Partial<Engine>): Engine {
  const all = { ...otherwise, [Symbol.asyncDispose]: () => Promise.resolve() };
  return new Proxy(engine, {
    get(beneath, key) {
      if (Object.hasOwn(all, key)) return Reflect.get(all, key);
      const value = Reflect.get(beneath, key, beneath);
      return typeof value === "function" ? value.bind(beneath) : value;
    },
  });
}
