/**
 * Compares Corbel with bare programs in one run and prints the ratios: as a table, or with `--json`
 * as an object of ratios by name, plus `rows` with the targets. Arguments select rows by name. With
 * `--mongodb`, the questions run on a MongoDB server that is started for them. `--short` has few
 * documents and short turns: it shows that the rows work, not how fast Corbel is. Exits with 1 if a
 * row could not be measured.
 */
import { startMongodb } from "@/tests/services/mongodb_server.ts";
import { keepAwake } from "./process.ts";
import { isShort } from "./load.ts";
import { mongodbRows } from "./question_rows.ts";
import { type MeasuredRow, reportJson, reportTable, type Row } from "./report.ts";
import { ROWS } from "./rows.ts";
import { seed, type Setting, temporaryFolder } from "./seed.ts";

const SIZES = { posts: 100_000, small: 10_000 };
const SHORT_SIZES = { posts: 2_000, small: 200 };
/**
 * Sizes on MongoDB. The process's work does not depend on the number of documents, but the stand-in
 * reads nearly all of them for each list. With 5,000 documents, the process mostly waits for it and
 * then runs with cold code and caches, which doubles Corbel's time per list.
 */
const MONGODB_SIZES = { posts: 500, small: 200 };

const only = Deno.args.filter((word) => !word.startsWith("--"));
progress("Seeding …");
await using temporary = await temporaryFolder();
const folder = temporary.path;
await using mongodb = Deno.args.includes("--mongodb") ? await startMongodb() : null;
const settings = { STORAGE_URL: `file:${folder}/files`, ...databaseSettings() };
const sizes = isShort ? SHORT_SIZES : mongodb === null ? SIZES : MONGODB_SIZES;
const seeded = await seed(settings, sizes);
const setting: Setting = { folder, settings, mongodb: mongodb && mongodb.url, seeded };
await using _awake = isShort ? null : keepAwake();
const measuredRows: MeasuredRow[] = [];
for (const row of mongodb === null ? ROWS : mongodbRows()) {
  if (only.length > 0 && !only.includes(row.name)) continue;
  progress(`${row.name} …`);
  measuredRows.push({ ...row, value: await measureOrNull(row) });
}
console.log(Deno.args.includes("--json") ? reportJson(measuredRows) : reportTable(measuredRows));
if (measuredRows.some(({ value }) => value === null)) Deno.exitCode = 1;

function databaseSettings(): Record<string, string> {
  if (mongodb === null) return { DATABASE_URL: `sqlite:${folder}/data` };
  return {
    DATABASE_URL: mongodb.url.replace("/?", "/bench?"),
    SECRET_KEYS: `bench:${btoa("a key of thirty-two bytes or so.")}`,
  };
}

/** Resolves to the figure of a row; null if it fails, so that the next rows are still measured. */
async function measureOrNull(row: Row): Promise<number | null> {
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
