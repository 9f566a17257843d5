/**
 * Runs the cases of comparison and search on `compileMatcher`. An engine stores and sorts the
 * records; only the matcher decides which of them match.
 */

import { compileMatcher } from "@/lib/documents/match.ts";
import { ALL, within } from "@/lib/store/filter.ts";
import type { Definition, Engine, Filter, Id, Records } from "@/lib/store/port.ts";
import { comparisonCases } from "./comparison.ts";
import { pathCases } from "./comparison_paths.ts";
import { searchCases } from "./searching.ts";
import { openFolder } from "./sqlite_folder.ts";
import { recordsContract } from "./suite.ts";

async function matchesOf(
  records: Records,
  definition: Definition,
  filter: Filter,
): Promise<Id[]> {
  const matches = compileMatcher(definition, filter, { patternCostMax: 1_000_000 });
  const ids: Id[] = [];
  for await (const record of records.find({ filter: ALL })) {
    if (matches(record)) ids.push(record._id);
  }
  return ids;
}

/** Returns the object with replaced methods, called on the object for its private members. */
const withOwn = <T extends object>(of: T, methods: Partial<T>): T =>
  new Proxy(of, {
    get(target, name) {
      const value = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const matching = (records: Records, definition: Definition): Records =>
  withOwn(records, {
    count: async (filter) => (await matchesOf(records, definition, filter)).length,
    list: async (query) => {
      const ids = await matchesOf(records, definition, query.filter);
      return await records.list({ ...query, filter: within("_id", ids) });
    },
  });

recordsContract("matcher", {
  open: async () => {
    const store = await openFolder();
    const records = ((space, definition, writing) =>
      matching(store.engine.records(space, definition, writing), definition)) as Engine["records"]; // The caller chooses the type of records.
    return {
      engine: withOwn(store.engine, { records }),
      address: store.address,
      [Symbol.asyncDispose]: () =>
        store[Symbol.asyncDispose](),
    };
  },
  themes: [comparisonCases, pathCases, searchCases],
});
