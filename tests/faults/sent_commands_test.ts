import { type Document, ObjectId } from "mongodb";
import assert from "node:assert/strict";
import { startMongodb } from "../services/mongodb_server.ts";
import { COMMANDS } from "./endured.ts";
import { type LossyWire, startLossyWire } from "./lossy_wire.ts";
import { OPERATIONS } from "./operations.ts";
import { faultTest, type Fixture, openFixture, PATIENT } from "./fixture.ts";

/** What would weaken whatever is asked of the driver elsewhere. */
const WEAKENING = {
  w: 1,
  journal: "false",
  retryWrites: "false",
  retryReads: "false",
  readPreference: "secondary",
  readConcernLevel: "local",
};

/** Commands that no fault is made for, and why. */
const NEVER_SPOILT = new Map([
  ["ismaster", "how a connection begins before the server has said that it knows `hello`"],
  ["killSessions", "sent only after other faults, which leave a transaction open"],
  ["endSessions", "sent when the process ends, and nobody waits for its answer"],
]);

/** Commands without a time limit on the server, and why. */
const UNLIMITED = new Map([
  ["createIndexes", "the server would throw away what it has built"],
  ["validate", "what takes long could never be counted"],
  ["getMore", "it has what is left of its find's, and may have none of its own"],
  ["abortTransaction", "the driver sends it, and waits as long as the connection does"],
  ["endSessions", "the driver sends it, and waits as long as the connection does"],
  ["ismaster", "the driver sends it, and waits as long as making a connection may take"],
  ["hello", "the driver sends it, but for the one at start"],
]);

const READS = new Set(["find", "count", "aggregate"]);
const WRITES = new Set([
  ...["insert", "update", "findAndModify", "delete"],
  ...["collMod", "createIndexes", "dropIndexes", "drop", "dropDatabase"],
]);
const ENDS = new Set(["commitTransaction", "abortTransaction"]);
/** MongoDB remembers what it did to one document: of `delete` only the form for many is sent. */
const REMEMBERED = new Set(["insert", "update", "findAndModify"]);

const ORDINARY = "/api/data/ordinary";
const FIELDS = [{ key: "n", type: "Number" }, { key: "due", type: "Date" }];
const DUE = "2026-12-01T00:00:00.000Z";

const nameOf = (command: Document): string => Object.keys(command)[0]!;
const isInTransaction = (command: Document): boolean => command.autocommit === false;

/** What was sent on all connections, and while one thing was done. */
interface Recording {
  readonly all: readonly Document[];
  /** By method, what was sent about the collection of the document that it was asked for. */
  readonly about: ReadonlyMap<string, readonly Document[]>;
  /** Whether a collection was there: once it was defined, read, written. */
  readonly wasThere: readonly boolean[];
}

/** Everything that Corbel does, from its start to its end. */
async function record(): Promise<Recording> {
  await using server = await startMongodb();
  const all: Document[] = [];
  await using wire = startLossyWire(server.port, (command) => void all.push(command));
  await using fixture = await openFixture(server, {
    url: wire.url,
    driver: { ...PATIENT, ...WEAKENING },
  });
  // Of definitions the second takes away what the first has made.
  const redefining = OPERATIONS["a change of a definition"]!;
  for (const operation of [...Object.values(OPERATIONS), redefining]) {
    const attempt = await operation.begin(fixture);
    assert.equal((await attempt.send()).kind, "answered");
  }
  await leaveTransactionOpen(fixture, wire);
  return { all, ...await recordOrdinary(fixture, all) };
}

/** The next write ends it first. */
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
  "what Corbel sends is as safe as it must be, whatever the address says",
  async (t) => {
    const { all, about, wasThere } = await record();
    const described = (command: Document) => JSON.stringify(command).slice(0, 500);

    await t.step("every command is one that the suites of faults spoil", () => {
      // The last one may be lost with the connection, for nobody waits for it.
      const sent = new Set([...all.map(nameOf), "endSessions"]);
      assert.deepEqual([...sent].sort(), [...COMMANDS, ...NEVER_SPOILT.keys()].sort());
    });

    await t.step("the server ends whatever takes too long", () => {
      for (const command of all) {
        if (UNLIMITED.has(nameOf(command))) continue;
        assert.ok(command.maxTimeMS > 0, described(command));
      }
      for (const [name] of UNLIMITED) {
        const limited = all.filter((one) => nameOf(one) === name && one.maxTimeMS !== undefined);
        assert.equal(limited.length, name === "hello" ? 1 : 0, name);
      }
    });

    await t.step("what is read has been stored by a majority, and comes from the primary", () => {
      for (const command of all.filter((one) => READS.has(nameOf(one)))) {
        const { readConcern, $readPreference, startTransaction } = command;
        const concern = startTransaction
          ? { level: "snapshot" }
          : isInTransaction(command)
          ? undefined
          : { level: "majority" };
        assert.deepEqual(readConcern, concern, described(command));
        // Who speaks to one server alone lets it answer whatever it is.
        assert.deepEqual($readPreference, { mode: "primaryPreferred" }, described(command));
      }
    });

    await t.step("what is written is on the disks of a majority before it is answered", () => {
      for (const command of all) {
        const name = nameOf(command);
        const isWrite = WRITES.has(name) && !isInTransaction(command);
        if (!isWrite && !ENDS.has(name)) continue;
        const { w, j } = command.writeConcern;
        assert.deepEqual({ w, j }, { w: "majority", j: true }, described(command));
      }
    });

    await t.step("what may be sent twice has a number by which MongoDB knows it again", () => {
      for (const command of all.filter((one) => REMEMBERED.has(nameOf(one)))) {
        assert.ok(command.txnNumber > 0, described(command));
      }
    });

    await t.step("every connection is called corbel", () => {
      const names = all.filter(({ client }) => client !== undefined)
        .map(({ client }) => client.application.name);
      assert.ok(names.length > 0);
      assert.deepEqual([...new Set(names)], ["corbel"]);
    });

    await t.step("ids are ObjectIds, declared dates are dates", () => {
      const [made] = about.get("POST")!.filter((one) => nameOf(one) === "insert");
      const [document] = made!.documents;
      assert.ok(document._id instanceof ObjectId);
      assert.deepEqual(document.due, new Date(DUE));
    });

    await t.step("where changes are not recorded, one command changes, replaces or trashes", () => {
      for (const method of ["PATCH", "PUT", "DELETE"]) {
        assert.deepEqual(about.get(method)!.map(nameOf), ["findAndModify"], method);
      }
    });

    await t.step("a collection is there from its first write on", () => {
      assert.deepEqual(wasThere, [false, false, true]);
    });
  },
);
