import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoServerSelectionError,
  TopologyDescription,
} from "mongodb";
import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { isCommitUnknown, isTransient, retryOnce, retryUnsent, toPortError } from "./failures.ts";

/** Creates the error of Deno's sockets for a connection that the other side has closed. */
const unsent = () =>
  Object.assign(new Error("This socket has been ended by the other party"), { code: "EPIPE" });

Deno.test("a socket that the server closed is StoreUnavailable and retried", () => {
  assert.ok(toPortError(unsent()) instanceof StoreUnavailable);
  assert.ok(isTransient(unsent()), "the transaction may be run again");
  assert.ok(isCommitUnknown(unsent()), "a commit may be asked for again");
});

Deno.test("a connection lost during a command is StoreUnavailable and not retried", () => {
  for (const code of ["ECONNRESET", "ERR_STREAM_DESTROYED"]) {
    const lost = Object.assign(new Error("read"), { code });
    assert.ok(toPortError(lost) instanceof StoreUnavailable);
    assert.ok(!isTransient(lost) && !isCommitUnknown(lost), "it may have arrived");
  }
  const ours = new TypeError("ours");
  assert.equal(toPortError(ours), ours);
});

Deno.test("a bulk write without a server is StoreUnavailable", () => {
  const description = { servers: new Map() } as unknown as TopologyDescription;
  const lost = new MongoServerSelectionError("Server selection timed out", description);
  const nothing = {} as BulkWriteResult; // No member is read.
  assert.ok(toPortError(new MongoBulkWriteError(lost, nothing)) instanceof StoreUnavailable);
});

Deno.test("unsent commands are retried once, and programming errors are not", async () => {
  for (const again of [retryUnsent, retryOnce]) {
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
