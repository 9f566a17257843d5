import { QueryTooSlow } from "@/lib/store/errors.ts";
import { type App, createApp } from "@/routes/app.ts";
import { engineOver } from "../support/engine_over.ts";
import type { TestApp } from "../support/test_app.ts";

export function tooSlowApp({ services }: TestApp, isSlow: (kind: string) => boolean): App {
  const tooSlow = () => Promise.reject(new QueryTooSlow("n"));
  const engine = engineOver(services.engine, {
    records: (space, definition) =>
      isSlow(definition.name)
        ? new Proxy({}, { get: () => tooSlow }) as never // Every method fails.
        : services.engine.records(space, definition),
  });
  return createApp({ ...services, engine });
}
