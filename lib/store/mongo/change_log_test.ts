import assert from "node:assert/strict";
import { type Db, type MongoClient, Timestamp } from "mongodb";
import { StoreUnavailable } from "../errors.ts";
import { MongoChangeLog } from "./change_log.ts";

/** A change stream without events, until it ends. */
class Stream {
  readonly #end = Promise.withResolvers<never>();
  isClosed = false;

  fail(error: Error): void {
    this.#end.reject(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<never> {
    try {
      yield await this.#end.promise;
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.fail(new Error("closed"));
    return Promise.resolve();
  }
}

Deno.test("a new stream replaces an ended one and is not affected by its end", async () => {
  const streams: Stream[] = [];
  const client = {
    watch() {
      const stream = new Stream();
      streams.push(stream);
      return stream;
    },
  };
  const operationTime = new Timestamp({ t: 1, i: 1 });
  const db = { databaseName: "a", command: () => Promise.resolve({ operationTime }) };
  const log = new MongoChangeLog(client as unknown as MongoClient, () => db as unknown as Db);
  const position = await log.head("a");
  const follow = () => log.follow("a", position)[Symbol.asyncIterator]();
  const [first, second] = [follow(), follow()];
  for (const one of [first, second]) assert.deepEqual((await one.next()).value.changes, []);
  assert.equal(streams.length, 1, "all followers share one stream");
  streams[0]!.fail(new StoreUnavailable());
  for (const one of [first, second]) await assert.rejects(one.next(), StoreUnavailable);
  const third = follow();
  assert.deepEqual((await third.next()).value.changes, []);
  const waiting = third.next();
  await streams[0]!.close();
  const fourth = follow();
  assert.deepEqual((await fourth.next()).value.changes, []);
  assert.deepEqual(streams.map(({ isClosed }) => isClosed), [true, false]);
  await log.close();
  assert.equal((await waiting).done, true);
  assert.equal(streams[1]!.isClosed, true);
});
