/** A row for each question: Corbel's processor time over that of a bare program on the same engine. */
import { BareMongo } from "./bare_mongo.ts";
import { BareFile } from "./bare_sql.ts";
import { costRatio, SHORT, type Side, WHOLE } from "./cost.ts";
import type { StoredPost } from "./documents.ts";
import { RECORDED_INSERTS } from "./live.ts";
import { median } from "./measuring.ts";
import { type Program, startBare, startCorbel } from "./process.ts";
import {
  type Known,
  type PagePosition,
  type Question,
  QUESTIONS,
  toBare,
  toCorbel,
} from "./questions.ts";
import type { Row } from "./row.ts";
import type { Seeded, Setting } from "./seed.ts";

/** What an origin server that others sign in to is called in their tokens. */
export const PUBLIC_URL = "http://localhost:8000";

const isRead = ({ method }: Question): boolean => method === undefined;

const rowsOf = (questions: readonly Question[]): Row[] =>
  questions.map((question) => ({
    ...question,
    measure: (setting) => measured(setting, question),
  }));

/** Writes come last: what they change is another document on either side. */
export const QUESTION_ROWS: readonly Row[] = [
  ...rowsOf(QUESTIONS.filter(isRead)),
  {
    name: "reads_median",
    what: "the median of the reads among these rows",
    target: 2,
    atLeast: false,
    async measure(setting) {
      const ratios: number[] = [];
      for (const question of QUESTIONS.filter(isRead)) {
        ratios.push(await measured(setting, question));
      }
      return median(ratios);
    },
  },
  {
    name: "hot20",
    what: "the newest 20 asked again and again, out of the cache of answers",
    target: null,
    atLeast: false,
    measure: (setting) => measure(setting, QUESTIONS.find(({ name }) => name === "newest")!, {}),
  },
  ...rowsOf(QUESTIONS.filter((question) => !isRead(question))),
];

const ratios = new Map<Question, Promise<number>>();

/** Each is measured once, though the median asks for it again. */
function measured(setting: Setting, question: Question): Promise<number> {
  let ratio = ratios.get(question);
  if (ratio === undefined) ratios.set(question, ratio = measure(setting, question));
  return ratio;
}

/** @param caching What tells Corbel whether an answer that it has kept will do. */
async function measure(
  setting: Setting,
  question: Question,
  caching: Record<string, string> = NO_CACHE,
): Promise<number> {
  await using corbel = await startCorbel(setting.folder, { PUBLIC_URL, ...setting.settings });
  const known = await copied(corbel, setting);
  await using bare = await startBare(...bareProgram(setting));
  const sides = [corbelSide(corbel, setting.seeded, caching), bareSide(bare)] as const;
  return await costRatio(question, known, sides, setting.isShort ? SHORT : WHOLE);
}

/** What is measured on MongoDB: the driver is most of what either side of a question takes. */
export const mongodbRows = (): Row[] =>
  [...rowsOf(QUESTIONS), RECORDED_INSERTS].map((row) => ({ ...row, target: MONGODB_TARGET }));

const MONGODB_TARGET = 2;

const bareProgram = (setting: Setting): [string, string] =>
  setting.mongodb === null ? ["bare_sql", bareFileOf(setting)] : ["bare_mongo", setting.mongodb];

const NO_CACHE = { "cache-control": "no-cache" };

export const corbelSide = (
  program: Program,
  { publishableKey, secretKey }: Seeded,
  caching: Record<string, string> = NO_CACHE,
): Side => ({
  program,
  headersFor: ({ isPrivate }) => ({
    "x-api-key": isPrivate ? publishableKey : secretKey,
    "content-type": "application/json",
    ...caching,
  }),
  request: toCorbel,
});

const bareSide = (program: Program): Side => ({
  program,
  headersFor: () => ({ "content-type": "application/json" }),
  request: toBare,
});

const bareFileOf = ({ folder }: Setting): string => `${folder}-bare.db`;

let known: Promise<Known> | undefined;

/** Fills the bare program's database with what Corbel has, once. */
const copied = (corbel: Program, setting: Setting): Promise<Known> =>
  known ??= copy(corbel, setting);

async function copy(corbel: Program, setting: Setting): Promise<Known> {
  const { secretKey, ids, users, scale } = setting.seeded;
  await using bare = setting.mongodb === null
    ? new BareFile(bareFileOf(setting))
    : new BareMongo(setting.mongodb);
  const positions: PagePosition[] = [];
  for (const name of ["posts", "small"]) {
    const docs: string[] = [];
    for await (const page of pages(corbel, name, secretKey)) {
      docs.push(...page.items.map((item) => JSON.stringify(item)));
      if (name === "posts") positions.push(...positionBehind(page));
    }
    await bare.fill(name, docs.toReversed());
  }
  return { ids, users, scale, positions };
}

interface ListedPage {
  readonly items: readonly StoredPost[];
  readonly nextCursor: string | null;
}

/** Places all over `posts`. */
export async function positionsIn(corbel: Program, key: string): Promise<PagePosition[]> {
  const positions: PagePosition[] = [];
  for await (const page of pages(corbel, "posts", key)) positions.push(...positionBehind(page));
  return positions;
}

/** None behind the last page. */
export function positionBehind({ items, nextCursor }: ListedPage): PagePosition[] {
  if (nextCursor === null) return [];
  const { createdAt, _id: id } = items.at(-1)!;
  return [{ cursor: nextCursor, createdAt, id }];
}

/** From the newest to the oldest. */
export async function* pages(
  { url }: Program,
  name: string,
  key: string,
): AsyncGenerator<ListedPage> {
  let cursor: string | null = "";
  while (cursor !== null) {
    const at = cursor === "" ? "" : `&cursor=${cursor}`;
    const response = await fetch(`${url}/api/data/${name}?limit=100&total=none${at}`, {
      headers: { "x-api-key": key },
    });
    const page: ListedPage = (await response.json()).data;
    yield page;
    cursor = page.nextCursor;
  }
}
