/** What reads by id wait for beside others. */

import { latency99, type Target } from "./load.ts";
import { ask, askData, medianRatio, posting } from "./measuring.ts";
import { type Program, startCorbel } from "./process.ts";
import type { Row } from "./report.ts";
import type { Setting } from "./seed.ts";

export const NEIGHBOUR_ROWS: readonly Row[] = [
  {
    name: "neighbour",
    what: "99th percentile of by-id reads beside one client with the slowest filters, over alone",
    atMost: 4,
    measure: besideFilters,
  },
  {
    name: "login_concurrency",
    what: "99th percentile of by-id reads while 32 sign-ins to the dashboard hash, over alone",
    atMost: 3,
    measure: (setting) => readsBesideSignIns(setting, ["auth/register", "auth/login"], {}),
  },
  {
    name: "login_neighbour",
    what: "99th percentile of by-id reads while 32 users of the project sign in, over alone",
    atMost: 4,
    measure: (setting) =>
      readsBesideSignIns(setting, ["userAuth/signup", "userAuth/login"], {
        "x-api-key": setting.seeded.publishableKey,
      }),
  },
];

/** Among a few turns one may meet what else the machine does. */
const ROUNDS = 11;
const SIGN_INS = 32;
/** More would measure how they wait for each other. */
const CONNECTIONS = 4;

/** Reads of one document by its id. */
async function readById({ url }: Program, { seeded }: Setting): Promise<Target> {
  const headers = { "x-api-key": seeded.secretKey };
  const posts = `${url}/api/data/posts`;
  const { items: [first] } = await askData({ url: `${posts}?limit=1`, headers });
  return { url: `${posts}/${first._id}`, headers, connections: CONNECTIONS };
}

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

async function besideFilters(setting: Setting): Promise<number> {
  await using corbel = await startCorbel(setting.settings);
  let asked = 0;
  const posts = `${corbel.url}/api/data/posts`;
  const byId = await readById(corbel, setting);
  const alone = () => latency99(byId);
  const ratio = await medianRatio(
    ROUNDS,
    () =>
      whileAsking(1, alone, async () => {
        await ask({ ...byId, url: `${posts}?${SLOWEST[asked++ % SLOWEST.length]}` });
      }),
    alone,
  );
  if (asked < 3) throw new Error("The slow client got no turns");
  return ratio;
}

/** @param paths Of signing up and in, behind `/api/`. */
async function readsBesideSignIns(
  setting: Setting,
  [signUp, signIn]: readonly [string, string],
  headers: Record<string, string>,
): Promise<number> {
  const limits = { RATE_LIMITS: "off", TRUST_PROXY: "1" };
  await using corbel = await startCorbel({ ...setting.settings, ...limits });
  let signedIn = 0;
  /** Each comes from a network of its own. */
  const send = (path: string, n: number) =>
    ask(posting(
      `${corbel.url}/api/${path}`,
      { ...headers, "x-forwarded-for": `198.51.100.${n}` },
      { email: `bench${n}@example.com`, password: "seven wet stones 41" },
    ));
  for (let n = 0; n < SIGN_INS; n++) await send(signUp, n);
  const byId = await readById(corbel, setting);
  const alone = () => latency99(byId);
  const beside = () =>
    whileAsking(SIGN_INS, alone, async (n) => {
      await send(signIn, n);
      signedIn++;
    });
  const ratio = await medianRatio(ROUNDS, beside, alone);
  if (signedIn < SIGN_INS) throw new Error("Hardly anybody signed in");
  return ratio;
}

/** Runs `work` while so many clients ask again and again. */
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
