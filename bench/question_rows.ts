/** A row for each question: Corbel's processor time over that of a bare program on the same engine. */
import { BareMongo } from "./bare_mongo.ts";
import { BareFile } from "./bare_sql.ts";
import { assertAlike, costRatio, type Side } from "./cost.ts";
import type { StoredPost } from "./documents.ts";
import { RECORDED_INSERTS } from "./live.ts";
import { askData, median, once } from "./measuring.ts";
import { type Program, startBare, startCorbel } from "./process.ts";
import {
  atMostOf,
  isRead,
  type Known,
  type PagePosition,
  type Question,
  QUESTIONS,
  toBare,
  toCorbel,
} from "./questions.ts";
import type { Row } from "./report.ts";
import type { Seeded, Setting } from "./seed.ts";

/** What an origin server that others sign in to is called in their tokens. */
export const PUBLIC_URL = "http://localhost:8000";

/** Each is measured once, though the median asks for it again. */
const measured = once((setting, question: Question) => measure(setting, question));

const READS = QUESTIONS.filter(isRead);

const rowsOf = (questions: readonly Question[]): Row[] =>
  questions.map((question) => ({
    name: question.name,
    what: question.what,
    atMost: atMostOf(question),
    measure: (setting) => measured(setting, question),
  }));

/** Writes come last: what they change is another document on either side. */
export const QUESTION_ROWS: readonly Row[] = [
  ...rowsOf(READS),
  {
    name: "reads_median",
    what: "the median of the reads among these rows",
    atMost: 2.2,
    async measure(setting) {
      const ratios: number[] = [];
      for (const question of READS) ratios.push(await measured(setting, question));
      return median(ratios);
    },
  },
  ...rowsOf(QUESTIONS.filter((question) => !isRead(question))),
];

/** What is measured on MongoDB: the driver is most of what either side of a question takes. */
export const mongodbRows = (): Row[] =>
  [...rowsOf(QUESTIONS), RECORDED_INSERTS].map((row) => ({ ...row, atMost: MONGODB_AT_MOST }));

const MONGODB_AT_MOST = 2;

async function measure(setting: Setting, question: Question): Promise<number> {
  const { mongodb, seeded } = setting;
  await using corbel = await startCorbel({ PUBLIC_URL, ...setting.settings });
  const known = await (copied ??= copy(corbel, setting));
  await using bare = mongodb === null
    ? await startBare("bare_sql", bareFileOf(setting))
    : await startBare("bare_mongo", mongodb);
  const sides = [
    corbelSide(corbel, seeded, known),
    { program: bare, known, headersFor: () => JSON_TYPE, request: toBare },
  ] as const;
  if (isRead(question)) await assertAlike(question, sides);
  return await costRatio(question, sides);
}

export const JSON_TYPE = { "content-type": "application/json" };

export const corbelSide = (
  program: Program,
  { publishableKey, secretKey }: Seeded,
  known: Known,
): Side => ({
  program,
  known,
  headersFor: ({ isPrivate }) => ({
    "x-api-key": isPrivate ? publishableKey : secretKey,
    ...JSON_TYPE,
  }),
  request: toCorbel,
});

const bareFileOf = ({ folder }: Setting): string => `${folder}/bare.db`;

let copied: Promise<Known> | undefined;

/** Fills the bare program's database with what Corbel has. */
async function copy(corbel: Program, setting: Setting): Promise<Known> {
  await using bare = setting.mongodb === null
    ? new BareFile(bareFileOf(setting))
    : new BareMongo(setting.mongodb);
  return await knownOf(corbel, setting.seeded, async (name, docs) => {
    await bare.fill(name, docs.map((doc) => JSON.stringify(doc)));
  });
}

/**
 * What requests are made of, places all over `posts` among it.
 *
 * @param take Is given all documents of a collection, from the oldest to the newest.
 */
export async function knownOf(
  { url }: Program,
  seeded: Seeded,
  take?: (name: "posts" | "small", docs: readonly StoredPost[]) => Promise<void>,
): Promise<Known> {
  const positions: PagePosition[] = [];
  for (const name of ["posts", "small"] as const) {
    const docs: StoredPost[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const at = cursor && `&cursor=${cursor}`;
      const { items, nextCursor } = await askData({
        url: `${url}/api/data/${name}?limit=100&total=none${at}`,
        headers: { "x-api-key": seeded.secretKey },
      });
      if (take !== undefined) docs.push(...items);
      cursor = nextCursor;
      if (name === "small" || nextCursor === null) continue;
      const { createdAt, _id: id } = items.at(-1);
      positions.push({ cursor: nextCursor, createdAt, id });
    }
    await take?.(name, docs.reverse());
  }
  return { ...seeded, positions };
}
