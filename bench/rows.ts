import type { Inserted } from "./bare.ts";
import { post } from "./documents.ts";
import { FILE_ROWS } from "./files.ts";
import { latency99, load, type Target } from "./load.ts";
import { ask, type Asked, compare, median, ratio } from "./measuring.ts";
import { LIVE_ROWS } from "./live.ts";
import { OWNER_ROWS } from "./owners.ts";
import { PICTURE_ROWS } from "./pictures.ts";
import { PAGE_ROWS } from "./pages.ts";
import { type Program, residentMb, startBare, startCorbel } from "./process.ts";
import { QUESTION_ROWS } from "./question_rows.ts";
import { Random } from "./random.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";
import { SIGN_IN_ROWS } from "./sign_in.ts";
import { USER_ROWS } from "./users.ts";

const ROUNDS = 3;
const WARM_UP_SECONDS = 1;
const MEMORY_SECONDS = 60;

export const ROWS: readonly Row[] = [
  ...QUESTION_ROWS,
  {
    name: "insert_vs_engine",
    what: "one-document POSTs over bare autocommit inserts, both fully durable",
    target: 0.4,
    atLeast: true,
    measure: insertOverEngine,
  },
  {
    name: "insert32_vs_insert1",
    what: "POSTs per second on 32 connections over one connection, fully durable",
    target: 2,
    atLeast: true,
    measure: manyWritersOverOne,
  },
  {
    name: "neighbour",
    what: "99th percentile of by-id reads beside one client with the slowest filters, over alone",
    target: 4,
    atLeast: false,
    measure: neighbour,
  },
  {
    name: "workers2_vs_1",
    what: "100-row lists from two threads over the same from one",
    target: 1.3,
    atLeast: true,
    measure: twoWorkersOverOne,
  },
  ...SIGN_IN_ROWS,
  ...USER_ROWS,
  ...LIVE_ROWS,
  ...FILE_ROWS,
  ...PICTURE_ROWS,
  ...OWNER_ROWS,
  ...PAGE_ROWS,
  {
    name: "start_ms",
    what: "start to first answered request",
    target: 1000,
    atLeast: false,
    measure: startTime,
  },
  {
    name: "rss_idle_mb",
    what: "resident memory, idle",
    target: 140,
    atLeast: false,
    measure: idleMemory,
  },
  {
    name: "rss_load_mb",
    what: "resident memory after 60 s of listing",
    target: 260,
    atLeast: false,
    measure: loadedMemory,
  },
];

const bySecret = ({ seeded }: Setting) => ({
  "x-api-key": seeded.secretKey,
  "cache-control": "no-cache",
});

const list = (server: Program, setting: Setting, query: string): Target => ({
  url: `${server.url}/api/data/${query}`,
  headers: bySecret(setting),
});

async function insertOverEngine(setting: Setting): Promise<number> {
  const folder = await Deno.makeTempDir();
  try {
    await using corbel = await startCorbel(setting.folder);
    await using bare = await startBare("bare", "insert", folder);
    const before = await insertedTotal(corbel, setting);
    const target = posted(corbel, setting);
    const { ratio, asked: [own, others] } = await compare(target, { ...target, url: bare.url });
    await checkInserted(corbel, setting, { before, asked: own });
    const { total, doc } = JSON.parse((await ask({ url: bare.url })).body) as Inserted;
    if (doc !== target.body) throw new Error(`The bare server stored ${doc}`);
    checkGrowth(total, others);
    return ratio;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function manyWritersOverOne(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const before = await insertedTotal(corbel, setting);
  const target = posted(corbel, setting);
  const [many, single] = [{ connections: 32 }, { connections: 1 }];
  const { ratio, asked: [own, others] } = await compare(target, target, many, single);
  const asked = { answered: own.answered + others.answered, open: own.open + others.open };
  await checkInserted(corbel, setting, { before, asked });
  return ratio;
}

const inserted = async (corbel: Program, setting: Setting) =>
  JSON.parse((await ask(list(corbel, setting, "inserted?limit=1"))).body).data;

const insertedTotal = async (corbel: Program, setting: Setting): Promise<number> =>
  (await inserted(corbel, setting)).total;

/** Throws where what was answered as stored is not what is there: how much, and the last of it. */
async function checkInserted(
  corbel: Program,
  setting: Setting,
  { before, asked }: { readonly before: number; readonly asked: Asked },
): Promise<void> {
  const { items: [last], total } = await inserted(corbel, setting);
  for (const [name, value] of Object.entries(POST)) {
    if (JSON.stringify(last?.[name]) !== JSON.stringify(value)) {
      throw new Error(`Stored was ${JSON.stringify(last)}`);
    }
  }
  checkGrowth(total - before, asked);
}

function checkGrowth(grown: number, { answered, open }: Asked): void {
  if (grown >= answered && grown <= answered + open) return;
  throw new Error(`${answered} requests were answered, but ${grown} documents stored`);
}

/** The POST of a document to a collection that nothing else reads. */
const posted = (server: Program, setting: Setting): Target => ({
  url: `${server.url}/api/data/inserted`,
  method: "POST",
  headers: { ...bySecret(setting), "content-type": "application/json" },
  body: JSON.stringify(POST),
});

const POST = post(new Random(1), ["nobody"]);

/** What the interface lets one ask at most; each looks at all documents. */
const SLOWEST = [
  "title_regex=9.*9.*9$&limit=20",
  "title_ne=x&limit=20",
  `where=${
    encodeURIComponent('{"or":[{"rating":{"gt":99.9}},{"text":{"regex":"amber zenith$"}}]}')
  }&limit=20`,
  "page=4000&limit=20",
  "sort=title&limit=20",
  "text_contains=nowhere&limit=20",
  "tags=none",
];

async function neighbour(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const [first] = JSON.parse((await ask(list(corbel, setting, "posts?limit=1"))).body).data
    .items;
  const byId = list(corbel, setting, `posts/${first._id}`);
  const found = JSON.parse((await ask(byId)).body).data;
  if (JSON.stringify(found) !== JSON.stringify(first)) {
    throw new Error("Not the one that is listed");
  }
  const options = { connections: 4 };
  await load(byId, { ...options, seconds: WARM_UP_SECONDS });
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await latency99(byId, options);
    const beside = await besideSlow(corbel, setting, () => latency99(byId, options));
    ratios.push(beside / alone);
  }
  return Math.round(median(ratios) * 100) / 100;
}

/** Runs `work` while a client asks one slow query after the other. */
async function besideSlow<T>(
  corbel: Program,
  setting: Setting,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  async function askOn(): Promise<number> {
    let answered = 0;
    while (!isOver) {
      await ask(list(corbel, setting, `posts?${SLOWEST[answered % SLOWEST.length]}`));
      answered++;
    }
    return answered;
  }
  const asking = askOn();
  const result = await work().finally(() => void (isOver = true));
  if (await asking < 3) throw new Error("The slow client got no turns");
  return result;
}

async function twoWorkersOverOne(setting: Setting): Promise<number> {
  await using two = await startCorbel(setting.folder, { WORKERS: "2" });
  await using one = await startCorbel(setting.folder);
  const [target, base] = [two, one].map((server) => list(server, setting, "posts?limit=100"));
  const [answer, expected] = [await ask(target!), await ask(base!)];
  if (answer.body !== expected.body || JSON.parse(answer.body).data.items.length !== 100) {
    throw new Error("The two sides do not answer the same bytes");
  }
  return await ratio(target!, base!);
}

async function startTime({ folder }: Setting): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using corbel = await startCorbel(folder);
    times.push(corbel.startMs);
  }
  return Math.round(median(times));
}

async function idleMemory(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  await ask(list(corbel, setting, "posts?limit=20"));
  return await residentMb(corbel.pid);
}

async function loadedMemory(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  await load(list(corbel, setting, "posts?limit=100"), { seconds: MEMORY_SECONDS });
  return await residentMb(corbel.pid);
}
