import { openTestApp } from "../support/test_app.ts";
import type { TestOptions } from "../support/test_services.ts";
import type { Sample } from "./sample_calls.ts";
import { createTestCollection, type TestCollection } from "./test_collection.ts";

/** An app with one collection, which are disposed together. */
export type OpenCollection = TestCollection & AsyncDisposable;

export async function openCollection(
  options: TestOptions = {},
  definition: { readonly [name: string]: unknown } = {},
): Promise<OpenCollection> {
  const app = await openTestApp(options);
  const collection = await createTestCollection(app, definition);
  return { ...collection, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/**
 * Registers a test with one step for each operation, on one shared fixture. The steps must leave
 * the fixture unchanged. Leaks are checked at the end of the test, because the app may finish in a
 * later step what it starts in an earlier one.
 */
export function onEach<F extends AsyncDisposable>(
  name: string,
  samples: readonly Sample[],
  open: () => Promise<F>,
  check: (sample: Sample, fixture: F) => Promise<void>,
): void {
  Deno.test(name, async (t) => {
    await using fixture = await open();
    for (const sample of samples) {
      await t.step({
        name: sample.operationId,
        fn: () => check(sample, fixture),
        sanitizeOps: false,
        sanitizeResources: false,
      });
    }
  });
}
