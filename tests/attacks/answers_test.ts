/** Lists whose responses would exhaust the memory of the process. */

import assert from "node:assert/strict";
import { peakMemoryOf } from "../acceptance/memory.ts";
import { createCollection, createProject, type Project, send } from "../acceptance/project.ts";
import { type Server, type Settings, startServer } from "../acceptance/server.ts";

const MiB = 1_048_576;
const AT_ONCE = 8;
/** Bytes of growth that refused requests may cause. */
const REFUSED_MAX = 400 * MiB;
/** Bytes of growth for eight responses of nearly 16 MiB, including garbage. */
const READ_MAX = 1_500 * MiB;

async function open(): Promise<Server & { readonly project: Project }> {
  const settings = { RATE_LIMITS: "off", QUERY_TIME_LIMIT_MS: "25000" };
  const server = await startServer({ settings });
  return Object.assign(server, { project: await createProject(server.settings) });
}

const create = (settings: Settings, project: Project, name: string, fields: unknown[] = []) =>
  createCollection(settings, project, { name, rls: { mode: "public-read" }, fields });

async function insert(
  server: Server & { readonly project: Project },
  name: string,
  documents: readonly unknown[],
): Promise<string[]> {
  const { secretKey: key } = server.project;
  const answer = await send(server, { path: `/api/data/${name}/bulk`, key, body: { documents } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.ids;
}

/** Sends many requests at once with the publishable key, and reads only the start of each. */
async function sendAtOnce(server: Server & { readonly project: Project }, path: string) {
  const headers = { "x-api-key": server.project.publishableKey, "cache-control": "no-cache" };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const { status, body } = await fetch(server.url + path, { headers, client: server.http });
    let text = "";
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      if (text.length < 1_000) text += chunk;
    }
    return { status, text };
  }));
  return answers;
}

const refusedAll = (answers: readonly { status: number; text: string }[]) =>
  assert.deepEqual(
    answers.map(({ status, text }) => status === 413 ? JSON.parse(text).code : status),
    answers.map(() => "ANSWER_TOO_LARGE"),
  );

const assertGrowthBelow = (more: number, max: number) =>
  assert.ok(more < max, `memory grew by ${Math.round(more / MiB)} MiB`);

Deno.test("eight concurrent lists of large documents use bounded memory", async (t) => {
  await using server = await open();
  const { settings, project } = server;
  await create(settings, project, "tags");
  const tag = { type: "Ref", ref: "tags" };
  await create(settings, project, "posts", [{ key: "tag", ...tag }]);
  await create(settings, project, "lists", [{ key: "tags", type: "Array", items: tag }]);
  await create(settings, project, "large");
  const text = "x".repeat(900_000);
  const [id] = await insert(server, "tags", [{ text }]);
  for (let n = 0; n < 5; n++) {
    await insert(server, "posts", Array.from({ length: 100 }, () => ({ tag: id })));
  }
  await insert(server, "lists", [{ tags: Array.from({ length: 20_000 }, () => id) }]);
  for (let n = 0; n < 4; n++) {
    await insert(server, "large", Array.from({ length: 5 }, () => ({ text, title: "x" })));
  }
  const before = await peakMemoryOf(server);

  await t.step("many documents that refer to one", async () => {
    refusedAll(await sendAtOnce(server, "/api/data/posts?populate=tag&limit=1000"));
  });
  await t.step("one document that refers to one document many times", async () => {
    refusedAll(await sendAtOnce(server, "/api/data/lists?populate=tags"));
  });
  assertGrowthBelow(await peakMemoryOf(server) - before, REFUSED_MAX);
  await t.step("more large documents than fit into a response", async () => {
    refusedAll(await sendAtOnce(server, "/api/data/large?limit=1000"));
    refusedAll(await sendAtOnce(server, "/api/data/large?limit=1000&meta=false&sort=_id"));
  });
  await t.step("a part of each document, which fits", async () => {
    const answers = await sendAtOnce(server, "/api/data/large?limit=1000&fields=title");
    assert.deepEqual(answers.map(({ status }) => status), answers.map(() => 200));
  });
  assertGrowthBelow(await peakMemoryOf(server) - before, READ_MAX);
});
