/**
 * How much more processor time a request takes among a million documents than among ten thousand,
 * for each question that an index answers, of answers that are as long. It takes a quarter of an
 * hour and 5 GB of disk.
 *
 *     deno task bench:growth [--large=1000000] [--small=10000] [by_id …]
 */
import { parseArgs } from "node:util";
import { costOf, type Side, targetOf, valuesOf } from "./cost.ts";
import { median } from "./measuring.ts";
import { startCorbel } from "./process.ts";
import { corbelSide, positionsIn, PUBLIC_URL } from "./question_rows.ts";
import { type Known, QUESTIONS } from "./questions.ts";
import { Random } from "./random.ts";
import { seed } from "./seed.ts";

const { values: options, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    large: { type: "string", default: "1000000" },
    small: { type: "string", default: "10000" },
  },
});
const REQUESTS = 20_000;
const TURNS = 3;
const SECONDS = 3;
const SEED = 7;
const TARGET = 1.3;
/** Of so many documents a status, a city or a tag has as many as it has of the others. */
const SCALED = 100_000;

const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  await using stack = new AsyncDisposableStack();
  const started = async (name: "large" | "small"): Promise<readonly [Side, Known]> => {
    console.error(`Seeding ${options[name]} …`);
    const place = `${folder}/${name}`;
    const posts = Number(options[name]);
    const sizes = { posts, small: 0, scale: posts / SCALED };
    const seeded = await seed({ DATABASE_URL: `sqlite:${place}` }, sizes);
    const corbel = stack.use(await startCorbel(place, { PUBLIC_URL }));
    const positions = await positionsIn(corbel, seeded.secretKey);
    return [corbelSide(corbel, seeded), { ...seeded, positions }];
  };
  const sides = [await started("large"), await started("small")];
  console.log(`| Question | Growth | Target |\n| --- | --- | --- |`);
  for (const question of QUESTIONS) {
    if (!question.isIndexed) continue;
    if (positionals.length > 0 && !positionals.includes(question.name)) continue;
    const ratios: number[] = [];
    for (let turn = 0; turn <= TURNS; turn++) {
      const costs: number[] = [];
      for (const [side, known] of sides) {
        const values = valuesOf(question, known, new Random(SEED + turn), REQUESTS);
        const target = targetOf(side, question, values);
        costs.push(await costOf(side.program, target, { seconds: SECONDS }));
      }
      if (turn > 0) ratios.push(costs[0]! / costs[1]!); // Before that both warm up.
    }
    console.log(`| \`${question.name}\` | ${median(ratios).toFixed(2)} | ≤ ${TARGET} |`);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
