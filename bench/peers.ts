/**
 * Compares Corbel with PocketBase: the same documents, indexes, durability and questions, in
 * alternation under the same load. Prints answers per second, the 99th percentile and memory of
 * both, and the number of refusals. PocketBase uses all processors, so Corbel has a thread for
 * each; `--workers=1` is Corbel's default. Arguments select questions by name.
 *
 *     deno task bench:peers [--documents=100000] [--seconds=5] [--workers=N] [by_id …]
 */
import { parseArgs } from "node:util";
import {
  findPocketbase,
  POCKETBASE_VERSION,
  startPocketbase,
} from "@/tests/services/pocketbase_server.ts";
import { type MeasuredSide, targetOf } from "./cost.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { median } from "./measuring.ts";
import { addDocuments, preparePocketbase, shortId, toPocketbase } from "./pocketbase.ts";
import { keepAwake, residentMb, startCorbel } from "./process.ts";
import { corbelSide, JSON_TYPE, PUBLIC_URL, readKnown } from "./question_rows.ts";
import { type Question, QUESTIONS } from "./questions.ts";
import { seed, temporaryFolder } from "./seed.ts";

const { values: options, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    documents: { type: "string", default: "100000" },
    seconds: { type: "string", default: "5" },
    workers: { type: "string", default: `${navigator.hardwareConcurrency}` },
  },
});
const seconds = Number(options.seconds);
/** Durability as in PocketBase: a power cut may lose the last writes. */
const SQLITE_SYNC = "normal";
const TURN_COUNT = 3;
const COLUMNS = ["Corbel", "p99", "refused", `PocketBase ${POCKETBASE_VERSION}`, "p99", "refused"];

/** Resolves to the median results of both sides over turns in alternation, after a warm-up. */
async function compareSides(
  question: Question,
  sides: readonly MeasuredSide[],
): Promise<LoadResult[]> {
  const results = sides.map((): LoadResult[] => []);
  for (let turn = 0; turn <= TURN_COUNT; turn++) {
    for (const [i, side] of sides.entries()) {
      const target = targetOf(side, question, turn);
      const result = await runLoad(target, turn === 0 ? 1 : seconds);
      if (turn > 0) results[i]!.push(result);
    }
  }
  return results.map((turns) => ({
    perSecond: median(turns.map(({ perSecond }) => perSecond)),
    p99: median(turns.map(({ p99 }) => p99)),
    answered: turns.reduce((sum, { answered }) => sum + answered, 0),
    refused: turns.reduce((sum, { refused }) => sum + refused, 0),
  }));
}

const resultText = ({ perSecond, p99, refused, answered }: LoadResult): string =>
  answered === 0
    ? "ended | |"
    : `${Math.round(perSecond).toLocaleString("en")}/s | ${p99.toPrecision(3)} ms | ${
      refused || ""
    }`;

await using folder = await temporaryFolder();
const path = await findPocketbase();
const documents = Number(options.documents);
const sizes = { posts: documents, small: documents / 10, plain: documents };
console.error("Seeding Corbel …");
const settings = { DATABASE_URL: `sqlite:${folder.path}/corbel`, SQLITE_SYNC };
const seeded = await seed(settings, sizes);
await using corbel = await startCorbel({ ...settings, PUBLIC_URL, WORKERS: options.workers });
const startPeer = () => startPocketbase(path, `${folder.path}/pocketbase`);
console.error("Seeding PocketBase …");
const filled = await startPeer();
const users = await preparePocketbase(filled, seeded.users);
const known = await readKnown(corbel, seeded, async (name, docs) => {
  for (const each of name === "posts" ? ["posts", "mine"] : [name]) {
    await addDocuments(filled, each, docs);
  }
});
await filled.program[Symbol.asyncDispose]();
const own = corbelSide(corbel, seeded, known);
const plain: MeasuredSide = {
  ...own,
  request(question, values) {
    const sent = own.request(question, values);
    // This collection has only the indexes that PocketBase has.
    return question.method === "POST" ? { ...sent, path: "/api/data/plain" } : sent;
  },
};
await using _awake = keepAwake();
console.log(`| Question | ${COLUMNS.join(" | ")} | ratio |\n| ${"--- | ".repeat(8)}`);
const ratios: number[] = [];
let peerMb = 0;
for (const question of QUESTIONS) {
  if (positionals.length > 0 && !positionals.includes(question.name)) continue;
  // It is restarted for each question, because one of them has crashed it.
  await using program = (await startPeer()).program;
  const peer: MeasuredSide = {
    program,
    known: { ...known, ids: seeded.ids.map(shortId), users },
    headersFor: () => JSON_TYPE,
    request: toPocketbase,
  };
  const [ours, theirs] = await compareSides(question, [plain, peer]);
  const ratio = ours!.perSecond / theirs!.perSecond;
  ratios.push(ratio);
  console.log(
    `| \`${question.name}\` | ${resultText(ours!)} | ${resultText(theirs!)} | ${
      ratio.toFixed(1)
    } |`,
  );
  peerMb = await residentMb(program.pid);
}
console.log(`median of the ratios: ${median(ratios).toFixed(1)} (target 4; each 2)`);
console.log(`memory, MB: Corbel ${await residentMb(corbel.pid)}, PocketBase ${peerMb}`);
