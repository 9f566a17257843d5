/**
 * How much more processor time a request takes among a million documents than among ten thousand,
 * for each question that an index answers, of answers that are as long. It takes a quarter of an
 * hour and 5 GB of disk.
 *
 *     deno task bench:growth [--large=1000000] [--small=10000] [by_id …]
 */
import { parseArgs } from "node:util";
import { costRatio, type Side } from "./cost.ts";
import { startCorbel } from "./process.ts";
import { corbelSide, knownOf, PUBLIC_URL } from "./question_rows.ts";
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
/** An index holds what is asked for, and no more of it among more documents. */
const INDEXED = [
  ...["by_id", "newest", "page_deep", "owner_pages", "owner_private", "filter_range_sort"],
  ...["range_sort", "in_list", "array_has", "nested"],
];
/** Of so many documents a status, a city or a tag has as many as it has of the others. */
const SCALED = 100_000;

await using stack = new AsyncDisposableStack();
const folder = stack.use(await temporaryFolder());

async function started(name: "large" | "small"): Promise<Side> {
  console.error(`Seeding ${options[name]} …`);
  const settings = { DATABASE_URL: `sqlite:${folder.path}/${name}` };
  const posts = Number(options[name]);
  const sizes = { posts, small: 0, scale: posts / SCALED };
  const seeded = await seed(settings, sizes);
  const corbel = stack.use(await startCorbel({ ...settings, PUBLIC_URL }));
  return corbelSide(corbel, seeded, await knownOf(corbel, seeded));
}

const sides = [await started("large"), await started("small")] as const;
console.log(`| Question | Growth | Target |\n| --- | --- | --- |`);
for (const question of QUESTIONS) {
  if (!INDEXED.includes(question.name)) continue;
  if (positionals.length > 0 && !positionals.includes(question.name)) continue;
  console.log(`| \`${question.name}\` | ${await costRatio(question, sides)} | ≤ ${TARGET} |`);
}
