/**
 * Corbel beside PocketBase: the same documents, indexes and durability, the same questions in
 * alternation under the same load. Prints answers per second, the 99th percentile and memory of both, and how many
 * were refused. Names of questions as arguments pick some.
 *
 *     deno task bench:peers [--documents=100000] [--seconds=5] [by_id …]
 */
import { parseArgs } from "node:util";
import { keepAwake } from "./awake.ts";
import { type Side, targetOf, valuesOf } from "./cost.ts";
import { CONNECTIONS, loaded, type Result } from "./load.ts";
import { median } from "./measuring.ts";
import {
  addDocuments,
  findPocketbase,
  type Pocketbase,
  POCKETBASE_VERSION,
  preparePocketbase,
  shortId,
  startPocketbase,
  toPocketbase,
} from "./pocketbase.ts";
import { type Program, residentMb, startCorbel } from "./process.ts";
import { corbelSide, pages, positionBehind, PUBLIC_URL } from "./question_rows.ts";
import type { StoredPost } from "./documents.ts";
import { type Known, type PagePosition, type Question, QUESTIONS } from "./questions.ts";
import { Random } from "./random.ts";
import { seed, type Seeded } from "./seed.ts";

const { values: options, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    documents: { type: "string", default: "100000" },
    seconds: { type: "string", default: "5" },
  },
});
const seconds = Number(options.seconds);
/** As PocketBase has it: a power cut may take away what was answered last. */
const SQLITE_SYNC = "normal";
const REQUESTS = 20_000;
const TURNS = 3;
const SEED = 7;

type Asked = readonly [Side, Known];

/** Three turns of each, in alternation, behind one that warms up. */
async function compared(question: Question, sides: readonly Asked[]): Promise<Result[]> {
  const results = sides.map((): Result[] => []);
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const [i, [side, known]] of sides.entries()) {
      const values = valuesOf(question, known, new Random(SEED + turn), REQUESTS);
      const options = {
        seconds: turn === 0 ? 1 : seconds,
        connections: question.connections ?? CONNECTIONS,
      };
      const result = await loaded(targetOf(side, question, values), options);
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

const shown = ({ perSecond, p99, refused, answered }: Result): string =>
  answered === 0
    ? "ended | |"
    : `${Math.round(perSecond).toLocaleString("en")}/s | ${p99.toPrecision(3)} ms | ${
      refused || ""
    }`;

async function compare(folder: string): Promise<void> {
  const path = await findPocketbase();
  const sizes = { posts: Number(options.documents), small: Number(options.documents) / 10 };
  console.error("Seeding Corbel …");
  const seeded = await seed({ DATABASE_URL: `sqlite:${folder}/corbel` }, sizes);
  await using corbel = await startCorbel(`${folder}/corbel`, { PUBLIC_URL, SQLITE_SYNC });
  const startPeer = () => startPocketbase(path, `${folder}/pocketbase`);
  console.error("Seeding PocketBase …");
  const { users, positions } = await copied(seeded, corbel, await startPeer());
  await using _awake = keepAwake();
  const known: Known = { ...seeded, positions };
  const other: Known = { ...known, ids: seeded.ids.map(shortId), users };
  console.log(
    `| Question | Corbel | p99 | refused | PocketBase ${POCKETBASE_VERSION} | p99 | refused | ratio |`,
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  const ratios: number[] = [];
  let peerMb = 0;
  for (const question of QUESTIONS) {
    if (positionals.length > 0 && !positionals.includes(question.name)) continue;
    // Anew for each question: one has ended it.
    await using program = (await startPeer()).program;
    const peer: Side = {
      program,
      headersFor: () => ({ "content-type": "application/json" }),
      request: toPocketbase,
    };
    const sides = [[plainSide(corbel, seeded), known], [peer, other]] as const;
    const [own, theirs] = await compared(question, sides);
    const ratio = own!.perSecond / theirs!.perSecond;
    ratios.push(ratio);
    console.log(
      `| \`${question.name}\` | ${shown(own!)} | ${shown(theirs!)} | ${ratio.toFixed(1)} |`,
    );
    peerMb = await residentMb(program.pid);
  }
  console.log(`median of the ratios: ${median(ratios).toFixed(1)} (target 4; each 2)`);
  console.log(
    `memory afterwards: Corbel ${await residentMb(corbel.pid)} MB, PocketBase ${peerMb} MB`,
  );
}

/** Has documents inserted where there are no more indexes than PocketBase has. */
function plainSide(corbel: Program, seeded: Seeded): Side {
  const side = corbelSide(corbel, seeded);
  return {
    ...side,
    request(question, values) {
      const { path, ...sent } = side.request(question, values);
      return { ...sent, path: path!.replace("/inserted", "/plain") };
    },
  };
}

/** Gives PocketBase the users and documents that Corbel has. */
async function copied(
  seeded: Seeded,
  corbel: Program,
  peer: Pocketbase,
): Promise<Pick<Known, "users" | "positions">> {
  await using _program = peer.program;
  const users = await preparePocketbase(peer, seeded.users);
  const positions: PagePosition[] = [];
  for (const [from, names] of [["posts", ["posts", "mine"]], ["small", ["small"]]] as const) {
    const documents: StoredPost[] = [];
    for await (const page of pages(corbel, from, seeded.secretKey)) {
      documents.push(...page.items);
      if (from === "posts") positions.push(...positionBehind(page));
    }
    for (const name of names) await addDocuments(peer, name, documents.toReversed());
  }
  return { users, positions };
}

const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  await compare(folder);
} finally {
  await Deno.remove(folder, { recursive: true });
}
