/** Lists on MongoDB beside the bare driver. */
import { MongoClient } from "mongodb";
import { startMongodb } from "../tests/services/mongodb_server.ts";
import { load, type Target } from "./load.ts";
import { ask, median } from "./measuring.ts";
import { cpuSeconds, type Program, startBareMongo, startCorbel } from "./process.ts";
import { seed } from "./seed.ts";

export interface OnMongo {
  /** Requests per second over the bare driver's. */
  readonly throughput: number;
  /** Processor time of a request over the bare driver's. */
  readonly cpu: number;
}

let measured: Promise<OnMongo> | undefined;

/** Both ratios come out of one measurement. */
export const onMongo = (): Promise<OnMongo> => measured ??= measure();

const ROUNDS = 3;
const WARM_UP_SECONDS = 2;
const SECONDS = 4;
const LIMIT = 20;
/** Few, so that it is the programs that are measured and not the server. */
const DOCUMENTS = 200;
const PREFIX = "bench";

async function measure(): Promise<OnMongo> {
  await using server = await startMongodb();
  const address = new URL(server.url);
  address.pathname = PREFIX;
  const settings = {
    DATABASE_URL: address.href,
    SECRET_KEYS: `bench:${btoa("k".repeat(32))}`,
  };
  const { secretKey } = await seed(settings, [DOCUMENTS]);
  await using corbel = await startCorbel("", settings);
  const target: Target = {
    url: `${corbel.url}/api/data/posts${DOCUMENTS}?limit=${LIMIT}`,
    headers: { "x-api-key": secretKey, "cache-control": "no-cache" },
  };
  const answer = await ask(target);
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, JSON.stringify(answer));
    await using bare = await startBareMongo({
      MONGODB_URL: server.url,
      ...await placeOf(server.url, `posts${DOCUMENTS}`),
      RECORDED: file,
    });
    const other = { ...target, url: bare.url };
    const { items, total } = JSON.parse(answer.body).data;
    if ((await ask(other)).body !== answer.body || items.length !== LIMIT || total !== DOCUMENTS) {
      throw new Error("The two sides do not answer the same bytes");
    }
    return await compare([corbel, target], [bare, other]);
  } finally {
    await Deno.remove(file);
  }
}

/** Where the one project's collection of this name is kept. */
async function placeOf(
  url: string,
  name: string,
): Promise<{ DATABASE: string; COLLECTION: string }> {
  await using client = new MongoClient(url);
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
  const DATABASE = databases.find(({ name }) => /^bench_[0-9a-f]{24}$/.test(name))!.name;
  const record = await client.db(DATABASE).collection("_collections").findOne({ name });
  return { DATABASE, COLLECTION: record!.storedAs };
}

type Side = readonly [Program, Target];

async function compare(one: Side, other: Side): Promise<OnMongo> {
  for (const [, target] of [one, other]) await load(target, { seconds: WARM_UP_SECONDS });
  const throughput: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await under(one), await under(other)];
    throughput.push(a.perSecond / b.perSecond);
    cpu.push(a.cpuPerRequest / b.cpuPerRequest);
  }
  return { throughput: rounded(median(throughput)), cpu: rounded(median(cpu)) };
}

async function under([program, target]: Side) {
  const before = await cpuSeconds(program.pid);
  const perSecond = await load(target, { seconds: SECONDS });
  const used = await cpuSeconds(program.pid) - before;
  return { perSecond, cpuPerRequest: used / (perSecond * SECONDS) };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
