/** Load from a second process: `wrk` where it is installed, else a small client of our own. */

export interface Target {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadOptions {
  readonly connections?: number;
  readonly seconds?: number;
}

const CONNECTIONS = 32;
const SECONDS = 3;

/** What a target did under load. */
interface Result {
  readonly perSecond: number;
  /** 99 of 100 requests took no longer, in milliseconds. */
  readonly p99: number;
}

/** Requests per second that were answered with success. Throws if any was not. */
export async function load(target: Target, options: LoadOptions = {}): Promise<number> {
  return (await run(target, options)).perSecond;
}

/** 99 of 100 requests took no longer, in milliseconds. Throws if any was refused. */
export async function latency99(target: Target, options: LoadOptions = {}): Promise<number> {
  return (await run(target, options)).p99;
}

async function run(target: Target, options: LoadOptions): Promise<Result> {
  const { connections = CONNECTIONS, seconds = SECONDS } = options;
  return await hasWrk()
    ? await wrk(target, connections, seconds)
    : await client(target, connections, seconds);
}

let found: Promise<boolean> | undefined;

function hasWrk(): Promise<boolean> {
  return found ??= new Deno.Command("sh", { args: ["-c", "command -v wrk"], stdout: "null" })
    .output().then(({ success }) => success);
}

async function wrk(target: Target, connections: number, seconds: number): Promise<Result> {
  const args = ["--latency", "-t1", `-c${connections}`, `-d${seconds}s`];
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    args.push("-H", `${name}: ${value}`);
  }
  let script: string | undefined;
  if (target.method === "POST") {
    script = await Deno.makeTempFile({ suffix: ".lua" });
    const body = JSON.stringify(target.body ?? "");
    await Deno.writeTextFile(script, `wrk.method = "POST"\nwrk.body = ${body}\n`);
    args.push("-s", script);
  }
  const { stdout } = await new Deno.Command("wrk", { args: [...args, target.url] }).output();
  if (script !== undefined) await Deno.remove(script);
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${target.url} failed:\n${text}`);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)\s/.exec(text)!;
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    p99: Number(p99) * MILLISECONDS[unit as keyof typeof MILLISECONDS],
  };
}

const MILLISECONDS = { us: 1e-3, ms: 1, s: 1e3 };

async function client(target: Target, connections: number, seconds: number): Promise<Result> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", import.meta.url, JSON.stringify({ target, connections, seconds })],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${target.url} failed`);
  return JSON.parse(new TextDecoder().decode(stdout)) as Result;
}

if (import.meta.main) {
  const { target, connections, seconds } = JSON.parse(Deno.args[0]!) as {
    target: Target;
    connections: number;
    seconds: number;
  };
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  await Promise.all(Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const { url, headers, ...init } = target;
      const started = performance.now();
      const response = await fetch(url, { ...init, ...(headers && { headers: { ...headers } }) });
      await response.bytes();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      times.push(performance.now() - started);
    }
  }));
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)];
  console.log(JSON.stringify({ perSecond: times.length / seconds, p99 }));
}
