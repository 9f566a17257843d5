import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { type Db, type MongoClient, Timestamp } from "mongodb";
import { StoreUnavailable } from "../errors.ts";
import { MongoChangeLog } from "./change_log.ts";

class Stream extends EventEmitter {
  isClosed = false;

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

Deno.test("a stream that fails once more does not end the one that took its place", async () => {
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
  assert.equal(streams.length, 1, "one stream for all");
  streams[0]!.emit("error", new StoreUnavailable());
  for (const one of [first, second]) await assert.rejects(one.next(), StoreUnavailable);
  const third = follow();
  assert.deepEqual((await third.next()).value.changes, []);
  const waiting = third.next();
  streams[0]!.emit("error", new StoreUnavailable());
  const fourth = follow();
  assert.deepEqual((await fourth.next()).value.changes, []);
  assert.deepEqual(streams.map(({ isClosed }) => isClosed), [true, false]);
  await log.close();
  assert.equal((await waiting).done, true);
  assert.equal(streams[1]!.isClosed, true);
});
