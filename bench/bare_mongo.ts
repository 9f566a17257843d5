/**
 * The other side of the ratios on MongoDB: `Deno.serve` and the driver. Each request asks for the
 * page and the total as Corbel does, and answers the recorded response in `RECORDED`.
 */
import { MongoClient } from "mongodb";
import type { Recorded } from "./bare.ts";

const env = (name: string): string => Deno.env.get(name)!;
const { headers, body } = JSON.parse(Deno.readTextFileSync(env("RECORDED"))) as Recorded;
const bytes = new TextEncoder().encode(body);
const pairs = headers.map(([name, value]): [string, string] => [name, value]);

const client = new MongoClient(env("MONGODB_URL"), {
  maxPoolSize: 32,
  readConcern: { level: "majority" },
});
await client.connect();
const posts = client.db(env("DATABASE")).collection(env("COLLECTION"));
const LIVE = { isDeleted: false };

Deno.serve({ hostname: "127.0.0.1", port: Number(env("PORT")), onListen() {} }, async () => {
  const [rows] = await Promise.all([
    posts.find(LIVE, {
      sort: { createdAt: -1, _id: -1 },
      limit: 21,
      batchSize: 21,
      maxTimeMS: 5_000,
      raw: true,
    }).toArray(),
    posts.count(LIVE, { maxTimeMS: 5_000 }),
  ]);
  if (rows.length !== 21) throw new Error("Not the rows that were asked for");
  return new Response(bytes, { headers: pairs });
});
