import assert from "node:assert/strict";
import { refuseLongQuery } from "./query_size.ts";

const refused = (query: string) =>
  assert.throws(() => refuseLongQuery(query), { code: "QUERY_TOO_LONG", status: 414 });

Deno.test("refuseLongQuery allows at most 32768 characters", () => {
  refuseLongQuery("");
  refuseLongQuery(`a=${"x".repeat(32_766)}`);
  refused(`a=${"x".repeat(32_767)}`);
});

Deno.test("refuseLongQuery allows at most 100 parameters", () => {
  const parameters = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=1`);
  refuseLongQuery(parameters(100).join("&"));
  refused(parameters(101).join("&"));
  refused("a&".repeat(101));
  refuseLongQuery(`&&${parameters(100).join("&&&")}&&`);
  refuseLongQuery("&".repeat(32_768));
});

Deno.test("refuseLongQuery allows a list of 1000 ids", () => {
  const ids = Array(1000).fill("66f1a0c2e4b0a1b2c3d4e5f6");
  refuseLongQuery(`_id_in=${ids.join(",")}`);
  refuseLongQuery(`_id_in=${ids.join("%2C")}`);
});
