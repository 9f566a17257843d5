/**
 * Two processes write and read documents and change, delete and create the collection again, while
 * one of them is killed repeatedly.
 */

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { loadConfig } from "@/lib/runtime/config.ts";
import { checkDocuments } from "@/lib/documents/check_documents.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { RUNS } from "../property/run.ts";
import { faults } from "../support/server_faults.ts";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { type Answer, type Call, listAll, type Project, send } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const ROUNDS = RUNS > 100 ? 20 : 2;
const WRITERS = 6;
const BULK = 3;
/**
 * Milliseconds that a request may wait for a dead process's leases, with time for a slow machine.
 */
const ANSWER_MS = 5_000 + 2_500;
/**
 * Milliseconds that a change may take. It runs in a thread that yields to other work, and other
 * test suites slow it down. The server waits up to 60 s for the leases of a dead process.
 */
const CHANGE_MS = 5_000 + 20_000;
/** Milliseconds between the first write of a round and the kill. */
const BEFORE_MS = 400;
const AFTER_MS = 200;
const PATH = "/api/data/things";
const FIELDS = {
  open: [],
  dated: [{ key: "v", type: "Date" }],
  required: [{ key: "v", type: "String", required: true }],
};
const VALUES = [undefined, "2026-01-01T00:00:00.000Z", "word"];

type Kind = keyof typeof FIELDS;

/** The definition that is in force until a request starts to change it. */
interface DefinitionInForce {
  readonly kind: Kind;
  readonly isPrivate: boolean;
  until: number;
}

/** A request that took effect between these times. */
interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Ledger {
  /** Documents acknowledged with 201, by id. */
  readonly stored: Map<string, Span>;
  readonly deletions: Span[];
  /** Definitions in order. The last one is in force, and null means that there is no collection. */
  readonly definitions: (DefinitionInForce | null)[];
  readonly counts: Map<string, number>;
  /** Longest times in milliseconds, of definition changes and of all other requests. */
  readonly longestMs: { answers: number; changes: number };
}

const count = ({ counts }: Ledger, what: string, by = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + by);

const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)]!;

/** Sends a request and measures it. Returns null if the server dies first. */
async function sendMeasured(
  ledger: Ledger,
  server: Server,
  call: Call,
  kind: keyof Ledger["longestMs"] = "answers",
) {
  const sentAt = performance.now();
  let answer: Answer;
  try {
    answer = await send(server, call);
  } catch {
    count(ledger, "cut off");
    return null;
  }
  const answeredAt = performance.now();
  ledger.longestMs[kind] = Math.max(ledger.longestMs[kind], answeredAt - sentAt);
  if (answer.status === 503) count(ledger, "503");
  return { sentAt, answeredAt, ...answer };
}

interface Fixture {
  readonly ledger: Ledger;
  readonly project: Project;
  readonly cookie: string;
  isOver: boolean;
}

async function write(fixture: Fixture, server: Server, isBulk: boolean): Promise<void> {
  const { ledger, project } = fixture;
  while (!fixture.isOver) {
    const document = { userId: project.projectId, v: pick(VALUES) };
    const answer = await sendMeasured(ledger, server, {
      path: isBulk ? `${PATH}/bulk` : PATH,
      key: project.secretKey,
      body: isBulk ? { documents: Array(BULK).fill(document) } : document,
    });
    if (answer === null) return;
    assert.ok([201, 400, 404, 503].includes(answer.status), answer.text);
    if (answer.status !== 201) continue;
    const ids: string[] = isBulk ? answer.body.data.ids : [answer.body.data._id];
    const { sentAt, answeredAt } = answer;
    for (const id of ids) ledger.stored.set(id, { sentAt, answeredAt });
    count(ledger, "documents", ids.length);
  }
}

/** Reads without a token, which must not return documents of a private collection. */
async function read(fixture: Fixture, server: Server): Promise<void> {
  const { ledger, project: { publishableKey: key } } = fixture;
  while (!fixture.isOver) {
    const before = ledger.definitions.at(-1);
    const answer = await sendMeasured(ledger, server, { path: `${PATH}?limit=100`, key });
    if (answer === null) return;
    assert.ok([200, 401, 404, 503].includes(answer.status), answer.text);
    if (answer.status !== 200) continue;
    const wasPrivate = before?.isPrivate && before.until === Infinity;
    const deleted = ledger.deletions.at(-1)?.answeredAt ?? 0;
    for (const { _id } of answer.body.data.items) {
      // Documents deleted while public may be returned for some seconds.
      const { sentAt = 0 } = ledger.stored.get(_id) ?? {};
      assert.ok(!wasPrivate || sentAt < deleted, `${_id} was shown after it became private`);
    }
    count(ledger, "lists");
  }
}

async function change(fixture: Fixture, server: Server): Promise<void> {
  const { ledger } = fixture;
  while (!fixture.isOver) {
    const now = ledger.definitions.at(-1)!;
    const isDeletion = now !== null && Math.random() < 0.3;
    const next = { kind: pick(Object.keys(FIELDS) as Kind[]), isPrivate: Math.random() < 0.5 };
    if (now !== null) now.until = performance.now();
    const answer = await asOwner(fixture, server, {
      method: isDeletion ? "DELETE" : now === null ? "POST" : "PUT",
      path: now === null ? "" : "/things",
      ...(!isDeletion && { body: definitionOf(next) }),
    });
    if (answer === null) return;
    const { status, text, sentAt, answeredAt } = answer;
    assert.ok([200, 201, 409, 503].includes(status), text);
    if (status === 503) return;
    if (status === 409) ledger.definitions.push({ ...now!, until: Infinity });
    else if (isDeletion) {
      ledger.definitions.push(null);
      ledger.deletions.push({ sentAt, answeredAt });
    } else ledger.definitions.push({ ...next, until: Infinity });
    count(ledger, status === 409 ? "conflicts" : isDeletion ? "deletions" : "changes");
    await pause(Math.random() * 60);
  }
}

const definitionOf = ({ kind, isPrivate }: Pick<DefinitionInForce, "kind" | "isPrivate">) => ({
  name: "things",
  fields: FIELDS[kind],
  rls: isPrivate ? { mode: "private" } : { enabled: false },
});

const asOwner = ({ ledger, project, cookie }: Fixture, server: Server, { path, ...call }: Call) =>
  sendMeasured(
    ledger,
    server,
    {
      ...call,
      path: `/api/projects/${project.projectId}/collections${path}`,
      headers: { cookie },
    },
    call.method === undefined ? "answers" : "changes",
  );

/** Reads which definition is in force, because a change may have lost its response. */
async function readDefinition(fixture: Fixture, server: Server): Promise<void> {
  const { ledger } = fixture;
  const before = ledger.definitions.at(-1)!;
  let body: Answer["body"];
  await until("definitions are listed", async () => {
    const answer = await asOwner(fixture, server, { path: "" });
    body = answer?.body;
    return answer?.status === 200;
  }, ANSWER_MS);
  const [now] = body.data.items;
  if (now === undefined) {
    if (before !== null) {
      ledger.deletions.push({ sentAt: before.until, answeredAt: performance.now() });
    }
    ledger.definitions.push(null);
    return;
  }
  const field = now.fields.find(({ key }: { key: string }) => key === "v");
  const kind = field === undefined ? "open" : field.required ? "required" : "dated";
  ledger.definitions.push({ kind, isPrivate: now.rls.enabled, until: Infinity });
}

/** Asserts that no acknowledged write is lost, no deleted document is back, and all are valid. */
async function verify(fixture: Fixture, server: Server): Promise<void> {
  const { ledger, project } = fixture;
  const inForce = ledger.definitions.at(-1)!;
  const items = inForce === null ? [] : (await listAll(server, project, "things")).items;
  const found = new Set(items.map(({ _id }) => _id));
  const { sentAt, answeredAt } = ledger.deletions.at(-1) ?? { sentAt: 0, answeredAt: 0 };
  for (const [id, span] of ledger.stored) {
    if (span.sentAt > answeredAt) assert.ok(found.has(id), `${id} was acknowledged and is lost`);
    if (span.answeredAt < sentAt) {
      assert.ok(!found.has(id), `${id} was deleted with its collection and is back`);
      ledger.stored.delete(id);
    }
  }
  if (inForce === null) return;
  for (const { v, _id } of items) {
    if (inForce.kind === "required") assert.equal(typeof v, "string", `${_id} lacks a value`);
    if (inForce.kind === "dated") assert.ok(v !== "word", `${_id} has no date`);
  }
  if (inForce.kind === "dated") {
    const path = `${PATH}?v_gte=2020-01-01&count=true`;
    const { body } = await send(server, { path, key: project.secretKey });
    assert.equal(body.data.count, items.filter(({ v }) => v !== undefined).length);
  }
  await using services = await openServices(loadConfig(server.settings), { log: silentLog });
  const checked = await checkDocuments(services, { ...project, name: "things" });
  assert.deepEqual(checked, { checked: items.length, mended: 0, violations: [] });
}

async function openFixture(store: TestStore): Promise<Fixture> {
  await using server = await startServer({ store, settings: { RATE_LIMITS: "off" } });
  const account = { email: "owner@example.com", password: crypto.randomUUID() };
  const registered = await send(server, { path: "/api/auth/register", body: account });
  assert.equal(registered.status, 201, registered.text);
  const cookie = registered.headers.getSetCookie()[0]!.split(";")[0]!;
  const headers = { cookie };
  const created = await send(server, { path: "/api/projects", headers, body: { name: "Crash" } });
  assert.equal(created.status, 201, created.text);
  const ledger: Ledger = {
    stored: new Map(),
    deletions: [],
    definitions: [null],
    counts: new Map(),
    longestMs: { answers: 0, changes: 0 },
  };
  return { ledger, project: created.body.data, cookie, isOver: false };
}

Deno.test(`kill -9 during definition changes loses, restores and exposes nothing, in ${ROUNDS} rounds`, async () => {
  await using store = await createTestStore();
  const fixture = await openFixture(store);
  const { ledger } = fixture;
  const start = () => startServer({ store, settings: { RATE_LIMITS: "off" } });
  let servers: (Server | null)[] = [null, null];
  await using running = new AsyncDisposableStack();
  running.defer(async () => {
    for (const server of servers) await server?.[Symbol.asyncDispose]();
  });
  for (let round = 0; round < ROUNDS; round++) {
    const [one, other] = await Promise.all(servers.map(async (server) => server ?? await start()));
    servers = [one!, other!];
    await readDefinition(fixture, one!);
    await verify(fixture, one!);
    fixture.isOver = false;
    const before = ledger.counts.get("documents") ?? 0;
    const work = Promise.all([
      ...Array.from(
        { length: WRITERS },
        (_, i) =>
          write(
            fixture,
            i % 2 === 0 ? one! : other!,
            faults.changesValidatorEarly === null && i < 2,
          ),
      ),
      read(fixture, one!),
      read(fixture, other!),
      change(fixture, pick([one!, other!])),
    ]);
    const isWritten = () => (ledger.counts.get("documents") ?? 0) > before;
    await Promise.race([work, until("some documents are stored", isWritten)]);
    await pause(Math.random() * BEFORE_MS);
    const victims = pick([[0], [1], [0, 1]]);
    await Promise.all(victims.map(async (i) => {
      assert.equal((await servers[i]!.kill()).signal, "SIGKILL");
      servers[i]!.http.close();
      servers[i] = null;
      count(ledger, "kills");
    }));
    await pause(AFTER_MS);
    fixture.isOver = true;
    await work;
  }
  const last = servers[0] ??= await start();
  await readDefinition(fixture, last);
  await verify(fixture, last);
  const { answers, changes } = ledger.longestMs;
  console.log(Object.fromEntries(ledger.counts), "longest answers in milliseconds", {
    answers: Math.round(answers),
    changes: Math.round(changes),
  });
  assert.ok(answers < ANSWER_MS, `a response took ${Math.round(answers)} ms`);
  assert.ok(changes < CHANGE_MS, `a change took ${Math.round(changes)} ms`);
});
