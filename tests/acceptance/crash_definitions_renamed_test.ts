/**
 * Two processes write documents while a field is renamed back and forth, and the renaming process
 * is killed at random times.
 */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { RUNS } from "../property/run.ts";
import { faults } from "../support/server_faults.ts";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { type Answer, type Call, listAll, type Project, send } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const ROUNDS = RUNS > 100 ? 20 : 2;
/** Number of documents that makes a rename run in a thread. */
const SEEDS = 2_100;
const AT_ONCE = 100;
const NAMES = ["title", "headline"] as const;
type Name = (typeof NAMES)[number];
const RENAMES = 1;
const KILLED_WITHIN_MS = 600;
const AFTER_MS = 200;
/** Pause between two requests of a writer in milliseconds, which leaves time for the rename. */
const PAUSE_MS = 5;
const RENAMED_MS = 120_000;

const PATH = "/api/data/things";

interface Fixture {
  readonly project: Project;
  readonly cookie: string;
  /** Possible values of each document by id: two while the result of its last write is unknown. */
  readonly stored: Map<string, Set<string>>;
  writes: number;
  renames: number;
  isOver: boolean;
}

/** Sends a request, and returns null if the server dies first. */
const sendUnlessDead = (server: Server, call: Call): Promise<Answer | null> =>
  send(server, call).catch(() => null);

const other = (name: Name): Name => name === NAMES[0] ? NAMES[1] : NAMES[0];

const definitionOf = (key: Name, renamedFrom?: Name) => ({
  name: "things",
  rls: { enabled: false },
  strict: true,
  events: faults.changesValidatorEarly === null,
  fields: [{ key, type: "String", index: true, ...(renamedFrom && { renamedFrom }) }],
});

const asOwner = ({ project, cookie }: Fixture, server: Server, call: Call) =>
  sendUnlessDead(server, {
    ...call,
    path: `/api/projects/${project.projectId}/collections${call.path}`,
    headers: { cookie },
  });

/** Creates and changes documents, under the current name of the field. */
async function write(fixture: Fixture, server: Server): Promise<void> {
  const { project: { secretKey: key }, stored } = fixture;
  const own: string[] = [];
  let name: Name = NAMES[0];
  for (let n = 0; !fixture.isOver; n++) {
    await pause(PAUSE_MS);
    const value = crypto.randomUUID();
    const id = n % 3 === 0 ? undefined : own.at(-1);
    const possible = id === undefined ? undefined : stored.get(id)!;
    possible?.add(value);
    const answer = await sendUnlessDead(server, {
      method: id === undefined ? "POST" : "PATCH",
      path: id === undefined ? PATH : `${PATH}/${id}`,
      key,
      body: { [name]: value },
    });
    if (answer === null) return;
    assert.ok([200, 201, 400, 503].includes(answer.status), answer.text);
    if (answer.status >= 400) possible?.delete(value);
    if (answer.status === 400) name = other(name); // A strict collection refuses the old name.
    if (answer.status >= 400) continue;
    const { _id } = answer.body.data;
    if (id === undefined) own.push(_id);
    stored.set(_id, new Set([value]));
    fixture.writes++;
  }
}

async function rename(fixture: Fixture, server: Server, from: Name): Promise<void> {
  for (let name = from; !fixture.isOver;) {
    const body = definitionOf(other(name), name);
    const answer = await asOwner(fixture, server, { method: "PUT", path: "/things", body });
    if (answer === null) return;
    assert.ok(answer.status === 200 || answer.status === 503, answer.text);
    if (answer.status === 503) continue;
    name = other(name);
    fixture.renames++;
  }
}

/** Repeats an interrupted rename, and returns the current name of the field. */
async function completeRename(fixture: Fixture, server: Server): Promise<Name> {
  let name: Name = NAMES[0];
  await until("the definition can be changed", async () => {
    const listed = await asOwner(fixture, server, { path: "" });
    if (listed?.status !== 200) return false;
    name = listed.body.data.items[0].fields[0].key;
    const body = definitionOf(name, other(name));
    const answer = await asOwner(fixture, server, { method: "PUT", path: "/things", body });
    assert.ok(answer?.status === 200 || answer?.status === 503, answer?.text);
    return answer.status === 200;
  }, RENAMED_MS);
  return name;
}

/** Asserts that every acknowledged write is under the current name, and the other is unused. */
async function verify(fixture: Fixture, server: Server): Promise<Name> {
  const { project, stored } = fixture;
  const name = await completeRename(fixture, server);
  const { items } = await listAll(server, project, "things");
  const found = new Map(items.map((item) => [item._id, item]));
  for (const [id, possible] of stored) {
    const document = found.get(id);
    assert.ok(document !== undefined, `${id} was acknowledged and is lost`);
    assert.ok(!(other(name) in document), `${id} has the old name`);
    assert.ok(possible.has(document[name]), `${id} holds ${document[name]}, of ${[...possible]}`);
    stored.set(id, new Set([document[name]]));
  }
  const count = async (condition: string) => {
    const path = `${PATH}?${condition}&count=true`;
    return (await send(server, { path, key: project.secretKey })).body.data.count;
  };
  assert.equal(await count(`${name}_exists=true`), items.length);
  assert.equal(await count(`${name}_gte=0`), items.length, "the index agrees");
  for (const [id, [value]] of [...stored].slice(-5)) {
    assert.equal(await count(`${name}=${value}`), 1, id);
  }
  return name;
}

async function openFixture(store: TestStore): Promise<Fixture> {
  await using server = await startServer({ store, settings: { RATE_LIMITS: "off" } });
  const account = { email: "owner@example.com", password: crypto.randomUUID() };
  const registered = await send(server, { path: "/api/auth/register", body: account });
  const cookie = registered.headers.getSetCookie()[0]!.split(";")[0]!;
  const headers = { cookie };
  const answer = await send(server, { path: "/api/projects", headers, body: { name: "Crash" } });
  const project: Project = answer.body.data;
  const fixture = { project, cookie, stored: new Map(), writes: 0, renames: 0, isOver: false };
  const created = await asOwner(fixture, server, { path: "", body: definitionOf(NAMES[0]) });
  assert.equal(created?.status, 201, created?.text);
  for (let n = 0; n < SEEDS; n += AT_ONCE) {
    const values = Array.from({ length: AT_ONCE }, (_, i) => `seed ${n + i}`);
    const { body } = await send(server, {
      path: `${PATH}/bulk`,
      key: project.secretKey,
      body: { documents: values.map((value) => ({ [NAMES[0]]: value })) },
    });
    body.data.ids.forEach((id: string, i: number) => fixture.stored.set(id, new Set([values[i]!])));
  }
  return fixture;
}

Deno.test(`kill -9 during renames of a field loses no concurrent write, in ${ROUNDS} rounds`, async () => {
  await using store = await createTestStore();
  const fixture = await openFixture(store);
  const start = () => startServer({ store, settings: { RATE_LIMITS: "off" } });
  await using steady = await start();
  for (let round = 0; round < ROUNDS; round++) {
    await using victim = await start();
    const name = await verify(fixture, victim);
    fixture.isOver = false;
    const work = Promise.all([
      ...[steady, victim, steady, victim].map((server) => write(fixture, server)),
      rename(fixture, victim, name),
    ]);
    const before = fixture.writes;
    const isWritten = () => fixture.writes > before;
    await Promise.race([work, until("some documents are stored", isWritten, RENAMED_MS)]);
    // In the first round, the kill waits for a completed rename.
    const isRenamed = () => fixture.renames >= RENAMES;
    if (round === 0) await Promise.race([work, until("a field is renamed", isRenamed, RENAMED_MS)]);
    await pause(Math.random() * KILLED_WITHIN_MS);
    assert.equal((await victim.kill()).signal, "SIGKILL");
    await pause(AFTER_MS);
    fixture.isOver = true;
    await work;
  }
  await verify(fixture, steady);
  console.log(`${fixture.writes} writes, ${fixture.renames} renames`);
  assert.ok(fixture.renames >= RENAMES);
});
