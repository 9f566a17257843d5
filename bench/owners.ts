/** What people do who sign in, beside the requests of applications. */

import { latency99, load } from "./load.ts";
import { ask, median } from "./measuring.ts";
import { startCorbel } from "./process.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

/** What is measured of accounts. */
export const OWNER_ROWS: readonly Row[] = [
  {
    name: "login_concurrency",
    what: "99th percentile of by-id reads while 32 sign-ins to the dashboard hash, over alone",
    target: 3,
    atLeast: false,
    measure: (setting) => readsBesideSignIns(setting, OWNERS),
  },
  {
    name: "login_neighbour",
    what: "99th percentile of by-id reads while 32 users of the project sign in, over alone",
    target: 4,
    atLeast: false,
    measure: (setting) => readsBesideSignIns(setting, usersOf(setting)),
  },
];

/** Where somebody signs up and in, and what they send with it. */
interface SignIns {
  readonly registerPath: string;
  readonly loginPath: string;
  readonly headers: Readonly<Record<string, string>>;
}

const OWNERS: SignIns = {
  registerPath: "/api/auth/register",
  loginPath: "/api/auth/login",
  headers: {},
};

const usersOf = ({ seeded: { publishableKey } }: Setting): SignIns => ({
  registerPath: "/api/userAuth/signup",
  loginPath: "/api/userAuth/login",
  headers: { "x-api-key": publishableKey },
});

const ROUNDS = 5;
/** As many as beside a slow neighbour: more would measure how they wait for each other. */
const OPTIONS = { connections: 4, seconds: 3 };
const SIGN_INS = 32;

const credentials = (n: number) => ({
  email: `bench${n}@example.com`,
  password: "seven wet stones 41",
});

async function readsBesideSignIns(setting: Setting, signIns: SignIns): Promise<number> {
  const env = { RATE_LIMITS: "off", TRUST_PROXY: "1" };
  await using corbel = await startCorbel(setting.folder, env);
  const { registerPath, loginPath } = signIns;
  for (let n = 0; n < SIGN_INS; n++) await post(corbel.url + registerPath, { signIns, n }, 201);
  const headers = { "x-api-key": setting.seeded.secretKey };
  const posts = `${corbel.url}/api/data/posts`;
  const [first] = JSON.parse((await ask({ url: `${posts}?limit=1`, headers })).body).data.items;
  const byId = { url: `${posts}/${first._id}`, headers };
  await load(byId, OPTIONS);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await latency99(byId, OPTIONS);
    const beside = await whileSigningIn(
      (n) => post(corbel.url + loginPath, { signIns, n }, 200),
      () => latency99(byId, OPTIONS),
    );
    ratios.push(beside / alone);
  }
  return Math.round(median(ratios) * 100) / 100;
}

/** Runs `work` while so many clients sign in again and again. */
async function whileSigningIn<T>(
  signIn: (n: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  let signedIn = 0;
  const clients = Array.from({ length: SIGN_INS }, async (_, n) => {
    while (!isOver) {
      await signIn(n);
      signedIn++;
    }
  });
  const result = await work().finally(() => void (isOver = true));
  await Promise.all(clients);
  if (signedIn < 2 * SIGN_INS) throw new Error("Hardly anybody signed in");
  return result;
}

/** @param n Whose credentials are sent; each comes from a network of its own. */
async function post(
  url: string,
  { signIns, n }: { readonly signIns: SignIns; readonly n: number },
  status: number,
): Promise<void> {
  const own = { "content-type": "application/json", "x-forwarded-for": `198.51.100.${n}` };
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...signIns.headers, ...own },
    body: JSON.stringify(credentials(n)),
  });
  const text = await answer.text();
  if (answer.status !== status) {
    throw new Error(`${url} answered ${answer.status}: ${text}`);
  }
}
