import assert from "node:assert/strict";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition, Space } from "@/lib/store/port.ts";

/** Fails if `work`, or a job that it starts, changes a record of these kinds. */
export async function assertUnchanged(
  { engine, jobRunner }: Pick<Services, "engine" | "jobRunner">,
  { space, kinds }: { readonly space: Space; readonly kinds: readonly Definition[] },
  work: () => Promise<void>,
): Promise<void> {
  const state = async () => {
    await jobRunner.idle();
    const lists = await Promise.all(kinds.map(async (definition) => {
      const records = engine.records(space, definition);
      return [definition.name, await Array.fromAsync(records.find({ filter: ALL }))];
    }));
    return Object.fromEntries(lists);
  };
  const before = await state();
  await work();
  assert.deepEqual(await state(), before, "a refused request changed records");
}
