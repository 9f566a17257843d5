import { AI_ROWS } from "./ai.ts";
import type { Inserted, Recorded } from "./bare.ts";
import { latency99, load, type Target } from "./load.ts";
import { ask, type Asked, compare, type CompareOptions, median, ratio } from "./measuring.ts";
import { onMongo } from "./mongo.ts";
import { type Program, residentMb, startBare, startCorbel } from "./process.ts";
import { FILE_ROWS } from "./file_rows.ts";
import { OWNER_ROWS } from "./owners.ts";
import { PAGE_ROWS } from "./pages.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";
import { exchanges, refreshes, signIns } from "./sign_in.ts";

const ROUNDS = 3;
const WARM_UP_SECONDS = 1;
const MEMORY_SECONDS = 60;

/** For two answers of one server: it is not moved about then, and answers more evenly. */
const STEADY: CompareOptions = { pinned: true };

/** What a token or an owner adds is a twentieth of a request: more rounds tell it from the noise. */
const STEADIER: CompareOptions = { ...STEADY, rounds: 40 };

export const ROWS: readonly Row[] = [
  {
    name: "list20_vs_bare",
    what: "20-row list with exact total over a bare server answering the same bytes",
    target: 0.35,
    atLeast: true,
    measure: (setting) => listOverBare(setting, 20),
  },
  {
    name: "list100_vs_bare",
    what: "100-row list with exact total over the same",
    target: 0.4,
    atLeast: true,
    measure: (setting) => listOverBare(setting, 100),
  },
  {
    name: "hot20_vs_bare",
    what: "20-row list asked again and again, from the result cache, over the same",
    target: null,
    atLeast: true,
    measure: (setting) => listOverBare(setting, 20, { "x-api-key": setting.seeded.secretKey }),
  },
  {
    name: "private_vs_open",
    what: "a user's rows under private RLS over the same rows by secret key and owner filter",
    target: 0.9,
    atLeast: true,
    measure: privateOverOpen,
  },
  {
    name: "deep_cursor",
    what: "time of page 10,000 by cursor over page 1, 200,000 documents",
    target: 1.2,
    atLeast: false,
    measure: deepCursor,
  },
  {
    name: "growth",
    what: "time of page 1 with exact total at 200,000 documents over 2,000",
    target: 1.2,
    atLeast: false,
    measure: growth,
  },
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
    name: "mongo_vs_driver",
    what: "20-row list with exact total on MongoDB over the bare driver asking the same",
    target: 0.8,
    atLeast: true,
    measure: async () => (await onMongo()).throughput,
  },
  {
    name: "mongo_cpu_vs_driver",
    what: "processor time of such a request over the bare driver's",
    target: 1.5,
    atLeast: false,
    measure: async () => (await onMongo()).cpu,
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
  {
    name: "exchange_per_s",
    what: "codes exchanged for refresh tokens, per second",
    target: null,
    atLeast: true,
    measure: async (setting) => (await exchanges(setting)).perSecond,
  },
  {
    name: "exchange_vs_write",
    what: "the same over a bare server that does one durable write per request",
    target: 0.35,
    atLeast: true,
    measure: async (setting) => (await exchanges(setting)).ratio,
  },
  {
    name: "refresh_per_s",
    what: "refresh tokens traded for their successors, per second",
    target: null,
    atLeast: true,
    measure: async (setting) => (await refreshes(setting)).perSecond,
  },
  {
    name: "refresh_vs_write",
    what: "the same over the bare server's writes",
    target: 0.35,
    atLeast: true,
    measure: async (setting) => (await refreshes(setting)).ratio,
  },
  {
    name: "signin_per_s",
    what:
      "sign-ins of new users, from start to exchange, per second, the provider on the same cores",
    target: null,
    atLeast: true,
    measure: async (setting) => (await signIns(setting)).perSecond,
  },
  {
    name: "signin_vs_write",
    what: "the same over the bare server's writes",
    target: null,
    atLeast: true,
    measure: async (setting) => (await signIns(setting)).ratio,
  },
  {
    name: "verify_cached_vs_open",
    what: "a private document by its id with an access token over an open one without",
    target: 0.9,
    atLeast: true,
    measure: verifiedOverOpen,
  },
  ...FILE_ROWS,
  ...OWNER_ROWS,
  ...PAGE_ROWS,
  ...AI_ROWS,
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

async function listOverBare(
  setting: Setting,
  limit: number,
  headers: Record<string, string> = bySecret(setting),
): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const target = { ...list(corbel, setting, `posts10000?limit=${limit}`), headers };
  const answer = await ask(target);
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, JSON.stringify(answer satisfies Recorded));
  await using bare = await startBare(["same", file]);
  const bareTarget = { ...target, url: bare.url };
  const echoed = await ask(bareTarget);
  await Deno.remove(file);
  if (echoed.body !== answer.body || JSON.parse(answer.body).data.items.length !== limit) {
    throw new Error("The two sides do not answer the same bytes");
  }
  return await ratio(target, bareTarget);
}

async function privateOverOpen(setting: Setting): Promise<number> {
  const { publishableKey, userId, token } = setting.seeded;
  await using corbel = await startCorbel(setting.folder, { PUBLIC_URL: "http://localhost:8000" });
  const own: Target = {
    url: `${corbel.url}/api/data/notes?limit=20`,
    headers: {
      "x-api-key": publishableKey,
      authorization: `Bearer ${token}`,
      "cache-control": "no-cache",
    },
  };
  const open = list(corbel, setting, `notes?limit=20&userId=${userId}`);
  const [ownItems, openItems] = await Promise.all(
    [own, open].map(async (target) =>
      JSON.stringify(JSON.parse((await ask(target)).body).data.items)
    ),
  );
  if (ownItems !== openItems) throw new Error("The two sides do not list the same rows");
  return await ratio(own, open, STEADIER);
}

async function deepCursor(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const first = list(corbel, setting, "posts200000?limit=20");
  let cursor = "";
  // Page 10,000 of 20 begins behind 199,980 rows.
  for (const limit of [...Array.from({ length: 199 }, () => 1000), 980]) {
    const at = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await ask(list(corbel, setting, `posts200000?limit=${limit}${at}`));
    cursor = JSON.parse(page.body).data.nextCursor;
  }
  const deep = list(corbel, setting, `posts200000?limit=20&cursor=${cursor}`);
  if (JSON.parse((await ask(deep)).body).data.items.length !== 20) {
    throw new Error("Not page 10,000");
  }
  return await ratio(first, deep, STEADY);
}

async function verifiedOverOpen(setting: Setting): Promise<number> {
  const { publishableKey, token } = setting.seeded;
  await using corbel = await startCorbel(setting.folder, { PUBLIC_URL: "http://localhost:8000" });
  const own = { "x-api-key": publishableKey, authorization: `Bearer ${token}` };
  const open = { "x-api-key": publishableKey };
  const targets = await Promise.all(
    ([["notes", own], ["posts10000", open]] as const).map(async ([name, headers]) => {
      const url = `${corbel.url}/api/data/${name}`;
      const { body } = await ask({ url: `${url}?limit=1`, headers });
      return { url: `${url}/${JSON.parse(body).data.items[0]._id}`, headers };
    }),
  );
  const bodies = await Promise.all(targets.map(ask));
  const lengths = bodies.map(({ body }) => body.length);
  if (Math.abs(lengths[0]! - lengths[1]!) > 20) throw new Error(`Unlike documents: ${lengths}`);
  return await ratio(targets[0]!, targets[1]!, STEADIER);
}

async function growth(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const [small, large] = [2_000, 200_000].map((size) =>
    list(corbel, setting, `posts${size}?limit=20`)
  );
  for (const [target, total] of [[small!, 2_000], [large!, 200_000]] as const) {
    if (JSON.parse((await ask(target)).body).data.total !== total) throw new Error("Wrong total");
  }
  return await ratio(small!, large!, STEADY);
}

async function insertOverEngine(setting: Setting): Promise<number> {
  const folder = await Deno.makeTempDir();
  try {
    await using corbel = await startCorbel(setting.folder);
    await using bare = await startBare(["insert", folder]);
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
    if (last?.[name] !== value) throw new Error(`Stored was ${JSON.stringify(last)}`);
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

const POST = {
  title: "A post",
  summary: "What it is about, in a sentence as long as such sentences are.",
  status: "draft",
  views: 12,
};

/** What the interface lets one ask at most, of 200,000 documents; each looks at all of them. */
const SLOWEST = [
  "title_regex=9.*9.*9$&limit=20",
  "title_ne=x&limit=20",
  `where=${
    encodeURIComponent('{"or":[{"rating":{"gt":4.8}},{"summary":{"regex":"post 1999"}}]}')
  }&limit=20`,
  "page=9000&limit=20",
  "sort=title&limit=20",
  "status=published&limit=20",
  "tags=none",
];

async function neighbour(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  const [first] = JSON.parse((await ask(list(corbel, setting, "posts200000?limit=1"))).body).data
    .items;
  const byId = list(corbel, setting, `posts200000/${first._id}`);
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
      await ask(list(corbel, setting, `posts200000?${SLOWEST[answered % SLOWEST.length]}`));
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
  const [target, base] = [two, one].map((server) => list(server, setting, "posts10000?limit=100"));
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
  await ask(list(corbel, setting, "posts10000?limit=20"));
  return await residentMb(corbel.pid);
}

async function loadedMemory(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.folder);
  await load(list(corbel, setting, "posts10000?limit=100"), { seconds: MEMORY_SECONDS });
  return await residentMb(corbel.pid);
}
