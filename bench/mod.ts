/**
 * Measures Corbel against bare programs, side by side in one run, and prints the ratios: as a
 * table, or with `--json` as one object of them by their names, with `rows` beside them that tells
 * targets too. Names of rows as arguments pick some. `--short` has few documents and short turns:
 * it shows that the rows work, not how fast Corbel is. Exits with 1 if a row could not be measured.
 */
import { keepAwake } from "./awake.ts";
import { reportJson, reportTable, type Told } from "./report.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { seed, type Setting } from "./seed.ts";

const SIZES = { posts: 100_000, small: 10_000 };
const SHORT_SIZES = { posts: 2_000, small: 200 };

const isShort = Deno.args.includes("--short");
const only = Deno.args.filter((word) => !word.startsWith("--"));
const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  progress("Seeding …");
  const settings = { DATABASE_URL: `sqlite:${folder}/data` };
  const seeded = await seed(settings, isShort ? SHORT_SIZES : SIZES);
  await using _awake = isShort ? null : keepAwake();
  const told: Told[] = [];
  for (const row of ROWS) {
    if (only.length > 0 && !only.includes(row.name)) continue;
    progress(`${row.name} …`);
    told.push({
      ...row,
      value: await measured(row, { folder: `${folder}/data`, seeded, isShort }),
    });
  }
  console.log(Deno.args.includes("--json") ? reportJson(told) : reportTable(told));
  if (told.some(({ value }) => value === null)) Deno.exitCode = 1;
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Null where it fails: the rows behind it are measured all the same. */
async function measured(row: Row, setting: Setting): Promise<number | null> {
  try {
    return await row.measure(setting);
  } catch (error) {
    progress(`${row.name} failed: ${error instanceof Error ? error.stack : error}`);
    return null;
  }
}

function progress(text: string): void {
  console.error(text);
}
