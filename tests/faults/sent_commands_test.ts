import { type Document, ObjectId } from "mongodb";
import assert from "node:assert/strict";
import { startMongodb } from "../services/mongodb_server.ts";
import { COMMANDS } from "./trials.ts";
import { type LossyWire, startLossyWire } from "./lossy_wire.ts";
import { OPERATIONS } from "./operations.ts";
import { faultTest, type Fixture, LONG_SELECTION, openFixture } from "./fixture.ts";

/** Options of an address that would weaken the guarantees of writes and reads. */
const WEAKENING = {
  w: 1,
  journal: "false",
  retryWrites: "false",
  retryReads: "false",
  readPreference: "secondary",
  readConcernLevel: "local",
};

/** Commands without a fault, and why. */
const WITHOUT_FAULT = new Map([
  ["ismaster", "begins a connection until the server is known to support `hello`"],
  ["killSessions", "only sent after other faults, for transactions that stayed open"],
  ["endSessions", "sent when the process ends, without waiting for a response"],
]);

/** Commands without a time limit on the server, and why. */
const UNLIMITED = new Map([
  ["createIndexes", "the server would discard a partial index"],
  ["validate", "large collections could never be counted"],
  ["getMore", "it uses the rest of its find's limit, and may not have its own"],
  ["abortTransaction", "sent by the driver, with the timeout of the connection"],
  ["endSessions", "sent by the driver, with the timeout of the connection"],
  ["ismaster", "sent by the driver, with the timeout for connecting"],
  ["hello", "sent by the driver, except at the start"],
]);

const READS = new Set(["find", "count", "aggregate"]);
const WRITES = new Set([
  ...["insert", "update", "findAndModify", "delete"],
  ...["collMod", "createIndexes", "dropIndexes", "drop", "dropDatabase"],
]);
const ENDS = new Set(["commitTransaction", "abortTransaction"]);
/** Commands whose retries MongoDB recognizes. `delete` is only sent for many documents. */
const REMEMBERED = new Set(["insert", "update", "findAndModify"]);

const ORDINARY = "/api/data/ordinary";
const FIELDS = [{ key: "n", type: "Number" }, { key: "due", type: "Date" }];
const DUE = "2026-12-01T00:00:00.000Z";

const nameOf = (command: Document): string => Object.keys(command)[0]!;
const isInTransaction = (command: Document): boolean => command.autocommit === false;

/** Commands on all connections, and during each action. */
interface Recording {
  readonly all: readonly Document[];
  /** Commands about the document's collection, by the method of the request. */
  readonly about: ReadonlyMap<string, readonly Document[]>;
  /** Whether the collection existed after it was defined, read and written. */
  readonly wasThere: readonly boolean[];
}

/** Records all commands of Corbel, from its start to its end. */
async function record(): Promise<Recording> {
  await using server = await startMongodb();
  const all: Document[] = [];
  await using wire = startLossyWire(server.port, (command) => void all.push(command));
  await using fixture = await openFixture(server, {
    url: wire.url,
    driver: { ...LONG_SELECTION, ...WEAKENING },
  });
  // The second change of a definition removes what the first one created.
  const redefining = OPERATIONS["a change of a definition"]!;
  for (const operation of [...Object.values(OPERATIONS), redefining]) {
    const attempt = await operation.begin(fixture);
    assert.equal((await attempt.send()).kind, "answered");
  }
  await leaveTransactionOpen(fixture, wire);
  return { all, ...await recordOrdinary(fixture, all) };
}

/** Leaves a transaction open, which the next write ends. */
async function leaveTransactionOpen(fixture: Fixture, wire: LossyWire): Promise<void> {
  const undone = await OPERATIONS["a transaction that is undone"]!.begin(fixture);
  wire.lose("abortTransaction", 2);
  await undone.send();
  assert.equal(wire.left(), 0);
  assert.equal(await undone.effects(), 1);
}

async function recordOrdinary(
  { project, db, stored }: Fixture,
  all: readonly Document[],
): Promise<Pick<Recording, "about" | "wasThere">> {
  await project.collection({
    name: "ordinary",
    fields: FIELDS,
    rls: { enabled: false },
    events: false,
  });
  const { collectionName: name } = await stored("ordinary");
  const isThere = async () => (await db.listCollections({ name }).toArray()).length > 0;
  const wasThere: boolean[] = [];
  wasThere.push(await isThere());
  assert.equal((await project.asSecret({ path: ORDINARY })).status, 200);
  wasThere.push(await isThere());
  const about = new Map<string, readonly Document[]>();
  let path = ORDINARY;
  for (
    const [method, body, status] of [
      ["POST", { n: 1, due: DUE }, 201],
      ["PATCH", { n: 2 }, 200],
      ["PUT", { n: 3, due: DUE }, 200],
      ["DELETE", undefined, 200],
    ] as const
  ) {
    const from = all.length;
    const answer = await project.asSecret({ method, path, body });
    assert.equal(answer.status, status, answer.text);
    about.set(method, all.slice(from).filter((one) => one[nameOf(one)] === name));
    path = `${ORDINARY}/${answer.body.data._id}`;
  }
  wasThere.push(await isThere());
  return { about, wasThere };
}

faultTest(
  "Corbel's commands have safe options, whatever the address contains",
  async (t) => {
    const { all, about, wasThere } = await record();
    const describe = (command: Document) => JSON.stringify(command).slice(0, 500);

    await t.step("every command is tested with faults", () => {
      // `endSessions` may be lost with the connection, because its response is not awaited.
      const sent = new Set([...all.map(nameOf), "endSessions"]);
      assert.deepEqual([...sent].sort(), [...COMMANDS, ...WITHOUT_FAULT.keys()].sort());
    });

    await t.step("every long command has a time limit on the server", () => {
      for (const command of all) {
        if (UNLIMITED.has(nameOf(command))) continue;
        assert.ok(command.maxTimeMS > 0, describe(command));
      }
      for (const [name] of UNLIMITED) {
        const limited = all.filter((one) => nameOf(one) === name && one.maxTimeMS !== undefined);
        assert.equal(limited.length, name === "hello" ? 1 : 0, name);
      }
    });

    await t.step("reads return data of a majority from the primary", () => {
      for (const command of all.filter((one) => READS.has(nameOf(one)))) {
        const { readConcern, $readPreference, startTransaction } = command;
        const concern = startTransaction
          ? { level: "snapshot" }
          : isInTransaction(command)
          ? undefined
          : { level: "majority" };
        assert.deepEqual(readConcern, concern, describe(command));
        // A direct connection accepts a server in any state.
        assert.deepEqual($readPreference, { mode: "primaryPreferred" }, describe(command));
      }
    });

    await t.step("writes are on the disks of a majority before they are acknowledged", () => {
      for (const command of all) {
        const name = nameOf(command);
        const isWrite = WRITES.has(name) && !isInTransaction(command);
        if (!isWrite && !ENDS.has(name)) continue;
        const { w, j } = command.writeConcern;
        assert.deepEqual({ w, j }, { w: "majority", j: true }, describe(command));
      }
    });

    await t.step("retryable commands have a number by which MongoDB recognizes them", () => {
      for (const command of all.filter((one) => REMEMBERED.has(nameOf(one)))) {
        assert.ok(command.txnNumber > 0, describe(command));
      }
    });

    await t.step("every connection is called corbel", () => {
      const names = all.filter(({ client }) => client !== undefined)
        .map(({ client }) => client.application.name);
      assert.ok(names.length > 0);
      assert.deepEqual([...new Set(names)], ["corbel"]);
    });

    await t.step("ids are ObjectIds, declared dates are dates", () => {
      const [created] = about.get("POST")!.filter((one) => nameOf(one) === "insert");
      const [document] = created!.documents;
      assert.ok(document._id instanceof ObjectId);
      assert.deepEqual(document.due, new Date(DUE));
    });

    await t.step("without recorded changes, one command changes, replaces or trashes", () => {
      for (const method of ["PATCH", "PUT", "DELETE"]) {
        assert.deepEqual(about.get(method)!.map(nameOf), ["findAndModify"], method);
      }
    });

    await t.step("a collection exists from its first write on", () => {
      assert.deepEqual(wasThere, [false, false, true]);
    });
  },
);
