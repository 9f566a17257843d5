import { MongoClient } from "mongodb";
import { openStore } from "./open_store.ts";
import { recordsContract } from "./suite.ts";

const URL_ = Deno.env.get("MONGODB_TEST_URL")!;

recordsContract("mongodb", {
  skips: {
    "a page and its total are of one moment, also while another process writes":
      "the total is counted beside the page, so that it costs no time of its own",
  },
  async open() {
    const prefix = `t${crypto.randomUUID().slice(0, 8)}`;
    const address = `${URL_}/${prefix}`;
    const engine = await openStore(address);
    return {
      engine,
      address,
      async [Symbol.asyncDispose]() {
        await engine[Symbol.asyncDispose]();
        const client = new MongoClient(URL_);
        const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
        for (const { name } of databases) {
          if (name.startsWith(prefix)) await client.db(name).dropDatabase();
        }
        await client.close();
      },
    };
  },
});
