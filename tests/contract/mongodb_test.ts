import { openStore } from "./open_store.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { findFaults } from "../support/server_faults.ts";
import { recordsContract } from "./suite.ts";

if (Deno.env.get("MONGODB_TEST_URL")) {
  const { staysTaken, misplacesTiny } = await findFaults();
  recordsContract("mongodb", {
    async open() {
      const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
      const address = mongodbUrl(prefix);
      const engine = await openStore(address);
      return {
        engine,
        address,
        async [Symbol.asyncDispose]() {
          await engine[Symbol.asyncDispose]();
          await dropDatabases(prefix);
        },
      };
    },
    skips: {
      "a page and its total are of one moment, also while another process writes":
        "the total is counted beside the page, so that it costs no time of its own",
      ...(staysTaken !== null && {
        "removing a record or its value frees the value": staysTaken,
        "deleted records neither take values nor are refused them": staysTaken,
      }),
      ...(misplacesTiny !== null && {
        "numbers sort by value, missing and null first": misplacesTiny,
      }),
    },
  });
}
