/** A row for each question: processor time of Corbel over a bare program on the same engine. */
import { BareMongo } from "./bare_mongo.ts";
import { BareFile } from "./bare_sql.ts";
import { assertAlike, costRatio, type MeasuredSide } from "./cost.ts";
import type { StoredPost } from "./documents.ts";
import { RECORDED_INSERTS } from "./live.ts";
import { askData, median, memoizeBySubject } from "./measuring.ts";
import { type Program, startBare, startCorbel } from "./process.ts";
import {
  atMostOf,
  isRead,
  type KnownValues,
  type PagePosition,
  type Question,
  QUESTIONS,
  toBare,
  toCorbel,
} from "./questions.ts";
import type { Row } from "./report.ts";
import type { SeededProject, Setting } from "./seed.ts";

/** Address of the server, which its access tokens contain. */
export const PUBLIC_URL = "http://localhost:8000";

/** Measures each question once, because the median uses the result too. */
const measured = memoizeBySubject((setting, question: Question) => measure(setting, question));

const READS = QUESTIONS.filter(isRead);

const rowsOf = (questions: readonly Question[]): Row[] =>
  questions.map((question) => ({
    name: question.name,
    description: question.description,
    atMost: atMostOf(question),
    measure: (setting) => measured(setting, question),
  }));

/** Rows with writes last, because they change different documents on both sides. */
export const QUESTION_ROWS: readonly Row[] = [
  ...rowsOf(READS),
  {
    name: "reads_median",
    description: "the median of the reads among these rows",
    atMost: 2.2,
    async measure(setting) {
      const ratios: number[] = [];
      for (const question of READS) ratios.push(await measured(setting, question));
      return median(ratios);
    },
  },
  ...rowsOf(QUESTIONS.filter((question) => !isRead(question))),
];

/** Returns the rows for MongoDB, where the driver takes most of the time of both sides. */
export const mongodbRows = (): Row[] =>
  [...rowsOf(QUESTIONS), RECORDED_INSERTS].map((row) => ({ ...row, atMost: MONGODB_AT_MOST }));

/** Target ratio on MongoDB, a factor. */
const MONGODB_AT_MOST = 2;

async function measure(setting: Setting, question: Question): Promise<number> {
  const { mongodb, seeded } = setting;
  await using corbel = await startCorbel({ PUBLIC_URL, ...setting.settings });
  const known = await (copied ??= copyToBare(corbel, setting));
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
  { publishableKey, secretKey }: SeededProject,
  known: KnownValues,
): MeasuredSide => ({
  program,
  known,
  headersFor: ({ isPrivate }) => ({
    "x-api-key": isPrivate ? publishableKey : secretKey,
    ...JSON_TYPE,
  }),
  request: toCorbel,
});

const bareFileOf = ({ folder }: Setting): string => `${folder}/bare.db`;

let copied: Promise<KnownValues> | undefined;

async function copyToBare(corbel: Program, setting: Setting): Promise<KnownValues> {
  await using bare = setting.mongodb === null
    ? new BareFile(bareFileOf(setting))
    : new BareMongo(setting.mongodb);
  return await readKnown(corbel, setting.seeded, async (name, docs) => {
    await bare.fill(name, docs.map((doc) => JSON.stringify(doc)));
  });
}

/**
 * Resolves to the values that requests need, including positions all over `posts`.
 *
 * @param take Receives all documents of a collection, oldest first.
 */
export async function readKnown(
  { url }: Program,
  seeded: SeededProject,
  take?: (name: "posts" | "small", docs: readonly StoredPost[]) => Promise<void>,
): Promise<KnownValues> {
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
