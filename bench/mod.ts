/**
 * Measures Corbel against bare programs, side by side in one run, and prints the ratios: as a
 * table, or with `--json` as one object of them by their names, with `rows` beside them that tells
 * targets too. Names of rows as arguments pick some. With `--mongodb` the questions are asked on a
 * MongoDB server that is started for them. `--short` has few documents and short turns: it shows
 * that the rows work, not how fast Corbel is. Exits with 1 if a row could not be measured.
 */
import { startMongodb } from "@/tests/services/mongodb_server.ts";
import { keepAwake } from "./process.ts";
import { isShort } from "./load.ts";
import { mongodbRows } from "./question_rows.ts";
import { reportJson, reportTable, type Row, type Told } from "./report.ts";
import { ROWS } from "./rows.ts";
import { seed, type Setting, temporaryFolder } from "./seed.ts";

const SIZES = { posts: 100_000, small: 10_000 };
const SHORT_SIZES = { posts: 2_000, small: 200 };
/**
 * What a process does on MongoDB does not depend on how many there are. The stand-in looks at nearly
 * all for each list, and a process that waits for it does everything with cold code and caches: of
 * 5,000 documents it answers 60 to 200 lists a second, and one costs Corbel twice what it does here.
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
const told: Told[] = [];
for (const row of mongodb === null ? ROWS : mongodbRows()) {
  if (only.length > 0 && !only.includes(row.name)) continue;
  progress(`${row.name} …`);
  told.push({ ...row, value: await measured(row) });
}
console.log(Deno.args.includes("--json") ? reportJson(told) : reportTable(told));
if (told.some(({ value }) => value === null)) Deno.exitCode = 1;

function databaseSettings(): Record<string, string> {
  if (mongodb === null) return { DATABASE_URL: `sqlite:${folder}/data` };
  return {
    DATABASE_URL: mongodb.url.replace("/?", "/bench?"),
    SECRET_KEYS: `bench:${btoa("a key of thirty-two bytes or so.")}`,
  };
}

/** Null where it fails: the rows behind it are measured all the same. */
async function measured(row: Row): Promise<number | null> {
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
