/**
 * Two processes, one of which is killed again and again while documents are written and read, and
 * the collection is changed, deleted and made again.
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
/** Nothing waits longer for what a dead process left; the rest is for a slow machine. */
const ANSWER_MS = 5_000 + 2_500;
/**
 * Changes are made in a thread that starts with the first and gives way to all others: beside other
 * suites one has taken 12 s that waited for nobody. The server itself would end what a dead process
 * left after 60.
 */
const CHANGE_MS = 5_000 + 20_000;
/** Between the first write of a round and the kill, and from there to the round's end. */
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

/** What is known to stand, until somebody sets out to change it. */
interface Standing {
  readonly kind: Kind;
  readonly isPrivate: boolean;
  until: number;
}

/** A request that took effect somewhen in between. */
interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Ledger {
  /** Documents answered with 201, by id. */
  readonly stored: Map<string, Span>;
  readonly deletions: Span[];
  /** The last is what stands; null while there is no collection. */
  readonly standing: (Standing | null)[];
  readonly counts: Map<string, number>;
  /** Of changes of a definition, and of all else. */
  readonly longestMs: { answers: number; changes: number };
}

const count = ({ counts }: Ledger, what: string, by = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + by);

const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)]!;

/** Null if the server died meanwhile. */
async function timed(
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

/** Until the server dies, or the round is over. */
async function write(fixture: Fixture, server: Server, isBulk: boolean): Promise<void> {
  const { ledger, project } = fixture;
  while (!fixture.isOver) {
    const document = { userId: project.projectId, v: pick(VALUES) };
    const answer = await timed(ledger, server, {
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

/** Without a token, which shows nothing of a private collection. */
async function read(fixture: Fixture, server: Server): Promise<void> {
  const { ledger, project: { publishableKey: key } } = fixture;
  while (!fixture.isOver) {
    const before = ledger.standing.at(-1);
    const answer = await timed(ledger, server, { path: `${PATH}?limit=100`, key });
    if (answer === null) return;
    assert.ok([200, 401, 404, 503].includes(answer.status), answer.text);
    if (answer.status !== 200) continue;
    const wasPrivate = before?.isPrivate && before.until === Infinity;
    const deleted = ledger.deletions.at(-1)?.answeredAt ?? 0;
    for (const { _id } of answer.body.data.items) {
      // What was deleted while it was public may be shown for some seconds.
      const { sentAt = 0 } = ledger.stored.get(_id) ?? {};
      assert.ok(!wasPrivate || sentAt < deleted, `${_id} is private, and was shown`);
    }
    count(ledger, "lists");
  }
}

/** Deletes the collection, makes it again and changes it, until its server dies. */
async function change(fixture: Fixture, server: Server): Promise<void> {
  const { ledger } = fixture;
  while (!fixture.isOver) {
    const now = ledger.standing.at(-1)!;
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
    if (status === 409) ledger.standing.push({ ...now!, until: Infinity });
    else if (isDeletion) {
      ledger.standing.push(null);
      ledger.deletions.push({ sentAt, answeredAt });
    } else ledger.standing.push({ ...next, until: Infinity });
    count(ledger, status === 409 ? "conflicts" : isDeletion ? "deletions" : "changes");
    await pause(Math.random() * 60);
  }
}

const definitionOf = ({ kind, isPrivate }: Pick<Standing, "kind" | "isPrivate">) => ({
  name: "things",
  fields: FIELDS[kind],
  rls: isPrivate ? { mode: "private" } : { enabled: false },
});

const asOwner = ({ ledger, project, cookie }: Fixture, server: Server, { path, ...call }: Call) =>
  timed(
    ledger,
    server,
    {
      ...call,
      path: `/api/projects/${project.projectId}/collections${path}`,
      headers: { cookie },
    },
    call.method === undefined ? "answers" : "changes",
  );

/** Learns what stands: a change may have been cut off before its answer. */
async function learn(fixture: Fixture, server: Server): Promise<void> {
  const { ledger } = fixture;
  const before = ledger.standing.at(-1)!;
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
    ledger.standing.push(null);
    return;
  }
  const field = now.fields.find(({ key }: { key: string }) => key === "v");
  const kind = field === undefined ? "open" : field.required ? "required" : "dated";
  ledger.standing.push({ kind, isPrivate: now.rls.enabled, until: Infinity });
}

/** Nothing answered is lost, nothing deleted is back, and every document fits what stands. */
async function verify(fixture: Fixture, server: Server): Promise<void> {
  const { ledger, project } = fixture;
  const standing = ledger.standing.at(-1)!;
  const items = standing === null ? [] : (await listAll(server, project, "things")).items;
  const found = new Set(items.map(({ _id }) => _id));
  const { sentAt, answeredAt } = ledger.deletions.at(-1) ?? { sentAt: 0, answeredAt: 0 };
  for (const [id, span] of ledger.stored) {
    if (span.sentAt > answeredAt) assert.ok(found.has(id), `${id} was answered, and is lost`);
    if (span.answeredAt < sentAt) {
      assert.ok(!found.has(id), `${id} was deleted with its collection, and is back`);
      ledger.stored.delete(id);
    }
  }
  if (standing === null) return;
  for (const { v, _id } of items) {
    if (standing.kind === "required") assert.equal(typeof v, "string", `${_id} lacks a value`);
    if (standing.kind === "dated") assert.ok(v !== "word", `${_id} has no date`);
  }
  if (standing.kind === "dated") {
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
  const made = await send(server, { path: "/api/projects", headers, body: { name: "Crash" } });
  assert.equal(made.status, 201, made.text);
  const ledger: Ledger = {
    stored: new Map(),
    deletions: [],
    standing: [null],
    counts: new Map(),
    longestMs: { answers: 0, changes: 0 },
  };
  return { ledger, project: made.body.data, cookie, isOver: false };
}

Deno.test(`kill -9 of either of two processes during changes of a definition loses no document, brings none back, shows none that is private and leaves no violation, ${ROUNDS} times over`, async () => {
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
    await learn(fixture, one!);
    await verify(fixture, one!);
    fixture.isOver = false;
    const before = ledger.counts.get("documents") ?? 0;
    const work = Promise.all([
      ...Array.from(
        { length: WRITERS },
        (_, i) =>
          write(fixture, i % 2 === 0 ? one! : other!, faults.changesBeside === null && i < 2),
      ),
      read(fixture, one!),
      read(fixture, other!),
      change(fixture, pick([one!, other!])),
    ]);
    const isWritten = () => (ledger.counts.get("documents") ?? 0) > before;
    await Promise.race([work, until("something is stored", isWritten)]);
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
  await learn(fixture, last);
  await verify(fixture, last);
  const { answers, changes } = ledger.longestMs;
  console.log(Object.fromEntries(ledger.counts), "longest answers in milliseconds", {
    answers: Math.round(answers),
    changes: Math.round(changes),
  });
  assert.ok(answers < ANSWER_MS, `an answer took ${Math.round(answers)} ms`);
  assert.ok(changes < CHANGE_MS, `a change took ${Math.round(changes)} ms`);
});
