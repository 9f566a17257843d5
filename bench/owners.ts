/** What owners do beside the requests of applications. */

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
    measure: readsBesideSignIns,
  },
];

const ROUNDS = 5;
/** As many as beside a slow neighbour: more would measure how they wait for each other. */
const OPTIONS = { connections: 4, seconds: 3 };
const SIGN_INS = 32;

const credentials = (n: number) => ({
  email: `bench${n}@example.com`,
  password: "seven wet stones 41",
});

async function readsBesideSignIns(setting: Setting): Promise<number> {
  const env = { RATE_LIMITS: "off", TRUST_PROXY: "1" };
  await using corbel = await startCorbel(setting.folder, env);
  for (let n = 0; n < SIGN_INS; n++) await post(`${corbel.url}/api/auth/register`, n, 201);
  const headers = { "x-api-key": setting.seeded.secretKey };
  const posts = `${corbel.url}/api/data/posts`;
  const [first] = JSON.parse((await ask({ url: `${posts}?limit=1`, headers })).body).data.items;
  const byId = { url: `${posts}/${first._id}`, headers };
  await load(byId, OPTIONS);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await latency99(byId, OPTIONS);
    const beside = await whileSigningIn(
      corbel.url,
      () => latency99(byId, OPTIONS),
    );
    ratios.push(beside / alone);
  }
  return Math.round(median(ratios) * 100) / 100;
}

/** Runs `work` while so many clients sign in again and again. */
async function whileSigningIn<T>(url: string, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  let signedIn = 0;
  const clients = Array.from({ length: SIGN_INS }, async (_, n) => {
    while (!isOver) {
      await post(`${url}/api/auth/login`, n, 200);
      signedIn++;
    }
  });
  const result = await work().finally(() => void (isOver = true));
  await Promise.all(clients);
  if (signedIn < 2 * SIGN_INS) throw new Error("Hardly anybody signed in");
  return result;
}

/** @param n Whose credentials are sent; each comes from a network of its own. */
async function post(url: string, n: number, status: number): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": `198.51.100.${n}` },
    body: JSON.stringify(credentials(n)),
  });
  const text = await answer.text();
  if (answer.status !== status) {
    throw new Error(`${url} answered ${answer.status}: ${text}`);
  }
}
