import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoServerSelectionError,
  TopologyDescription,
} from "mongodb";
import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { isTransient, isUnknownEnd, repeatable, sent, translated } from "./failures.ts";

/** What Deno's sockets throw when the other end has closed. */
const unsent = () =>
  Object.assign(new Error("This socket has been ended by the other party"), { code: "EPIPE" });

Deno.test("a socket that the server closed is a store that cannot be used, and no fault of ours", () => {
  assert.ok(translated(unsent()) instanceof StoreUnavailable);
  assert.ok(isTransient(unsent()), "the transaction may be run again");
  assert.ok(isUnknownEnd(unsent()), "a commit may be asked for again");
});

Deno.test("a connection that broke off under a command is no fault of ours, and nothing is repeated", () => {
  for (const code of ["ECONNRESET", "ERR_STREAM_DESTROYED"]) {
    const lost = Object.assign(new Error("read"), { code });
    assert.ok(translated(lost) instanceof StoreUnavailable);
    assert.ok(!isTransient(lost) && !isUnknownEnd(lost), "it may have arrived");
  }
  const ours = new TypeError("ours");
  assert.equal(translated(ours), ours);
});

Deno.test("a bulk that no server took is a store that cannot be used", () => {
  const description = { servers: new Map() } as unknown as TopologyDescription; // Nothing else is read.
  const lost = new MongoServerSelectionError("Server selection timed out", description);
  const nothing = {} as BulkWriteResult; // Nothing is read of it.
  assert.ok(translated(new MongoBulkWriteError(lost, nothing)) instanceof StoreUnavailable);
});

Deno.test("what may be sent again is sent once more, and what the program did wrong is not", async () => {
  for (const again of [sent, repeatable]) {
    let calls = 0;
    const failing = (error: Error) => () => {
      calls++;
      return Promise.reject(error);
    };
    await assert.rejects(() => again(failing(unsent())), { code: "EPIPE" });
    assert.equal(calls, 2);
    await assert.rejects(() => again(failing(new TypeError("ours"))), TypeError);
    assert.equal(calls, 3);
  }
});
