/** Latency of reads by id during other requests. */

import { latency99, type Target } from "./load.ts";
import { ask, askData, jsonRequest, medianRatio } from "./measuring.ts";
import { type Program, startCorbel } from "./process.ts";
import type { Row } from "./report.ts";
import type { Setting } from "./seed.ts";

export const NEIGHBOUR_ROWS: readonly Row[] = [
  {
    name: "neighbour",
    description:
      "99th percentile of by-id reads while one client sends the slowest filters, over alone",
    atMost: 4,
    measure: readsDuringFilters,
  },
  {
    name: "login_concurrency",
    description:
      "99th percentile of by-id reads while 32 sign-ins to the dashboard hash, over alone",
    atMost: 3,
    measure: (setting) => readsDuringSignIns(setting, ["auth/register", "auth/login"], {}),
  },
  {
    name: "login_neighbour",
    description: "99th percentile of by-id reads while 32 users of the project sign in, over alone",
    atMost: 4,
    measure: (setting) =>
      readsDuringSignIns(setting, ["userAuth/signup", "userAuth/login"], {
        "x-api-key": setting.seeded.publishableKey,
      }),
  },
];

/** Number of turns. Few turns could be distorted by other work of the machine. */
const ROUNDS = 11;
const SIGN_INS = 32;
/** Number of connections. More would measure how they wait for each other. */
const CONNECTIONS = 4;

async function readById({ url }: Program, { seeded }: Setting): Promise<Target> {
  const headers = { "x-api-key": seeded.secretKey };
  const posts = `${url}/api/data/posts`;
  const { items: [first] } = await askData({ url: `${posts}?limit=1`, headers });
  return { url: `${posts}/${first._id}`, headers, connections: CONNECTIONS };
}

/** The most expensive queries that the API allows. Each reads all documents. */
const SLOWEST_QUERIES = [
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

async function readsDuringFilters(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.settings);
  let asked = 0;
  const posts = `${corbel.url}/api/data/posts`;
  const byId = await readById(corbel, setting);
  const alone = () => latency99(byId);
  const ratio = await medianRatio(
    ROUNDS,
    () =>
      whileAsking(1, alone, async () => {
        await ask({
          ...byId,
          url: `${posts}?${SLOWEST_QUERIES[asked++ % SLOWEST_QUERIES.length]}`,
        });
      }),
    alone,
  );
  if (asked < 3) throw new Error("The slow client was hardly answered");
  return ratio;
}

/** @param paths Paths of signing up and in, after `/api/`. */
async function readsDuringSignIns(
  setting: Setting,
  [signUp, signIn]: readonly [string, string],
  headers: Record<string, string>,
): Promise<number> {
  const limits = { RATE_LIMITS: "off", TRUST_PROXY: "1" };
  await using corbel = await startCorbel({ ...setting.settings, ...limits });
  let signedIn = 0;
  /** Sends a request from a network of its own. */
  const send = (path: string, n: number) =>
    ask(jsonRequest(
      `${corbel.url}/api/${path}`,
      { ...headers, "x-forwarded-for": `198.51.100.${n}` },
      { email: `bench${n}@example.com`, password: "seven wet stones 41" },
    ));
  for (let n = 0; n < SIGN_INS; n++) await send(signUp, n);
  const byId = await readById(corbel, setting);
  const alone = () => latency99(byId);
  const duringSignIns = () =>
    whileAsking(SIGN_INS, alone, async (n) => {
      await send(signIn, n);
      signedIn++;
    });
  const ratio = await medianRatio(ROUNDS, duringSignIns, alone);
  if (signedIn < SIGN_INS) throw new Error("Too few users signed in");
  return ratio;
}

/** Runs `work` while a number of clients send requests continuously. */
async function whileAsking<T>(
  clients: number,
  work: () => Promise<T>,
  askOnce: (client: number) => Promise<void>,
): Promise<T> {
  let isOver = false;
  const asking = Array.from({ length: clients }, async (_, client) => {
    while (!isOver) await askOnce(client);
  });
  const result = await work().finally(() => void (isOver = true));
  await Promise.all(asking);
  return result;
}
