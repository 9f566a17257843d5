import type { Definition, Engine, ListQuery, ReferrerQuery, Space } from "@/lib/store/port.ts";
import { createSlowQuestions } from "@/lib/documents/slow_questions.ts";
import { createApp } from "@/routes/app.ts";
import { type Call, send } from "../support/conforming_client.ts";
import { withMethods } from "../support/with_methods.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** An app whose lists, counts and searches for referring documents take a given time. */
export interface SlowedApp {
  /** Sets the milliseconds that each takes from now on, or what it throws. */
  takes(ms: number | Error): void;
  /** Sets the milliseconds or the error of searches for referring documents alone. */
  referrersTake(ms: number | Error): void;
  asSecret(project: TestProject, path: string): Promise<number>;
  asPublic(project: TestProject, path: string, headers?: Call["headers"]): Promise<number>;
  store(): Promise<void>;
}

export function slowedApp({ services, clock }: TestApp): SlowedApp {
  let outcome: number | Error = 0;
  let ofReferrers: number | Error | null = null;
  const { engine } = services;
  const pass = (taken = outcome) => {
    if (typeof taken !== "number") throw taken;
    clock.advance(taken);
  };
  const slow = withMethods(engine, {
    records(space: Space, definition: Definition) {
      const records = engine.records(space, definition);
      if (!definition.trash) return records;
      return withMethods(records, {
        async list(query: ListQuery) {
          const page = await records.list(query);
          pass();
          return page;
        },
        async referrers(query: ReferrerQuery) {
          const found = await records.referrers(query);
          pass(ofReferrers ?? outcome);
          return found;
        },
        async count(filter: ListQuery["filter"]) {
          pass();
          return await records.count(filter);
        },
      });
    },
  });
  const slowQuestions = createSlowQuestions(services);
  const app = createApp({ ...services, engine: slow, slowQuestions });
  const noCache: [string, string] = ["cache-control", "no-cache"];
  const ask = async (key: string, path: string, headers: Call["headers"] = []) => {
    const sent = [["x-api-key", key], noCache, ...new Headers(headers)] as [string, string][];
    return (await send(app, { path: `/api/data/${path}`, headers: sent })).status;
  };
  return {
    takes: (ms) => void (outcome = ms),
    referrersTake: (ms) => void (ofReferrers = ms),
    asSecret: ({ secretKey }, path) => ask(secretKey, path),
    asPublic: ({ publishableKey }, path, headers) => ask(publishableKey, path, headers),
    store: async () => await slowQuestions[Symbol.asyncDispose](),
  };
}

/** Returns the stored records about slow questions as text. */
export const storedText = async (engine: Engine, definition: Definition): Promise<string> =>
  JSON.stringify(
    await Array.fromAsync(
      engine.records("control", definition).find({ filter: { op: "and", of: [] } }),
    ),
  );
