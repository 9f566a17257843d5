/**
 * Measures how the processor time per request grows from ten thousand to a million documents, for
 * questions that an index answers with results of equal size. It takes a quarter of an hour and
 * 5 GB of disk.
 *
 *     deno task bench:growth [--large=1000000] [--small=10000] [by_id …]
 */
import { parseArgs } from "node:util";
import { costRatio, type MeasuredSide } from "./cost.ts";
import { startCorbel } from "./process.ts";
import { corbelSide, PUBLIC_URL, readKnown } from "./question_rows.ts";
import { QUESTIONS } from "./questions.ts";
import { seed, temporaryFolder } from "./seed.ts";

const { values: options, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    large: { type: "string", default: "1000000" },
    small: { type: "string", default: "10000" },
  },
});
const TARGET = 1.3;
/** Questions that an index answers with results whose size does not grow with the collection. */
const INDEXED_QUESTIONS = [
  ...["by_id", "newest", "page_deep", "owner_pages", "owner_private", "filter_range_sort"],
  ...["range_sort", "in_list", "array_has", "nested"],
];
/** Number of documents at scale 1, where each status, city or tag has equally many. */
const SCALE_DOCUMENTS = 100_000;

await using stack = new AsyncDisposableStack();
const folder = stack.use(await temporaryFolder());

async function startSide(name: "large" | "small"): Promise<MeasuredSide> {
  console.error(`Seeding ${options[name]} …`);
  const settings = { DATABASE_URL: `sqlite:${folder.path}/${name}` };
  const posts = Number(options[name]);
  const sizes = { posts, small: 0, scale: posts / SCALE_DOCUMENTS };
  const seeded = await seed(settings, sizes);
  const corbel = stack.use(await startCorbel({ ...settings, PUBLIC_URL }));
  return corbelSide(corbel, seeded, await readKnown(corbel, seeded));
}

const sides = [await startSide("large"), await startSide("small")] as const;
console.log(`| Question | Growth | Target |\n| --- | --- | --- |`);
for (const question of QUESTIONS) {
  if (!INDEXED_QUESTIONS.includes(question.name)) continue;
  if (positionals.length > 0 && !positionals.includes(question.name)) continue;
  console.log(`| \`${question.name}\` | ${await costRatio(question, sides)} | ≤ ${TARGET} |`);
}
