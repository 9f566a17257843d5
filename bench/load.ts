/** Load from a second process: `wrk` where it is installed, else a small client of our own. */

export interface Target {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In the place of `body`, one line of text for each request: none is sent twice. */
  readonly bodies?: readonly string[];
  /** In the place of `body`: so many bytes, each of them {@linkcode FILLER}. */
  readonly bodyBytes?: number;
  /** In the place of the path of `url`, one after the other and from the first again. */
  readonly paths?: readonly string[];
}

export interface LoadOptions {
  readonly connections?: number;
  readonly seconds?: number;
  /** Whether `wrk` keeps to the last processor, where the system can see to that. */
  readonly pinned?: boolean;
}

/** What bodies are made of whose bytes do not matter. */
export const FILLER = "x";

/** Unless an option says otherwise. */
export const CONNECTIONS = 32;
const SECONDS = 3;

/** What a target did under load. */
export interface Result {
  readonly perSecond: number;
  /** Requests that were answered with success; those under way at the end are not counted. */
  readonly answered: number;
  /** 99 of 100 requests took no longer, in milliseconds. */
  readonly p99: number;
}

/** Requests per second that were answered with success. Throws if any was not. */
export async function load(target: Target, options: LoadOptions = {}): Promise<number> {
  return (await underLoad(target, options)).perSecond;
}

/** 99 of 100 requests took no longer, in milliseconds. Throws if any was refused. */
export async function latency99(target: Target, options: LoadOptions = {}): Promise<number> {
  return (await underLoad(target, options)).p99;
}

/** Throws if any request was refused, or none was answered in time. */
export async function underLoad(target: Target, options: LoadOptions = {}): Promise<Result> {
  const { connections = CONNECTIONS, seconds = SECONDS, pinned = false } = options;
  const result = await succeeds("command -v wrk")
    ? await wrk(target, { connections, seconds, pinned })
    : await client(target, connections, seconds);
  if (result.answered === 0) throw new Error(`${target.url} answered nothing in time`);
  return result;
}

const known = new Map<string, Promise<boolean>>();

/** Whether the shell knows how to do it, found out once. */
function succeeds(command: string): Promise<boolean> {
  let outcome = known.get(command);
  if (outcome === undefined) {
    outcome = new Deno.Command("sh", { args: ["-c", command], stdout: "null", stderr: "null" })
      .output().then(({ success }) => success);
    known.set(command, outcome);
  }
  return outcome;
}

const PIN = ["taskset", "-c", String(navigator.hardwareConcurrency - 1)];

async function wrk(
  target: Target,
  { connections, seconds, pinned }: Required<LoadOptions>,
): Promise<Result> {
  const pin = pinned && await succeeds(`${PIN.join(" ")} true`) ? PIN : [];
  const args = ["--latency", "-t1", `-c${connections}`, `-d${seconds}s`];
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    args.push("-H", `${name}: ${value}`);
  }
  const folder = await Deno.makeTempDir();
  if (target.method !== undefined) args.push("-s", await script(target, folder));
  const [program, ...rest] = [...pin, "wrk", ...args, target.url];
  const { stdout } = await new Deno.Command(program!, { args: rest }).output();
  await Deno.remove(folder, { recursive: true });
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${target.url} failed:\n${text}`);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)\s/.exec(text) ?? [];
  if (unit === undefined) throw new Error(`${target.url} could not be measured:\n${text}`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    answered: Number(/(\d+) requests in /.exec(text)![1]),
    p99: Number(p99) * MILLISECONDS[unit as keyof typeof MILLISECONDS],
  };
}

/** What wrk sends, in its own language. Out of bodies it sends none, which is refused and told. */
async function script(
  { method, body = "", bodies, bodyBytes, paths }: Target,
  folder: string,
): Promise<string> {
  const path = `${folder}/requests.lua`;
  const sent = bodyBytes === undefined
    ? JSON.stringify(body)
    : `string.rep("${FILLER}", ${bodyBytes})`;
  const lines = [`wrk.method = "${method}"`, `wrk.body = ${sent}`];
  if (paths !== undefined) {
    lines.push(
      `local paths, requests, at = {${paths.map((one) => JSON.stringify(one))}}, {}, 0`,
      `init = function() for i, path in ipairs(paths) do requests[i] = wrk.format(nil, path) end end`,
      `request = function() at = at % #requests + 1; return requests[at] end`,
    );
  }
  if (bodies !== undefined) {
    await Deno.writeTextFile(`${folder}/bodies`, bodies.join("\n"));
    lines.push(
      `local next_body = io.lines("${folder}/bodies")`,
      `request = function() return wrk.format(nil, nil, nil, next_body() or "") end`,
    );
  }
  await Deno.writeTextFile(path, lines.join("\n"));
  return path;
}

const MILLISECONDS = { us: 1e-3, ms: 1, s: 1e3 };

async function client(target: Target, connections: number, seconds: number): Promise<Result> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", import.meta.url],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const task = JSON.stringify({ target, connections, seconds });
  await new Blob([task]).stream().pipeTo(child.stdin);
  const { stdout, success } = await child.output();
  if (!success) throw new Error(`${target.url} failed`);
  return JSON.parse(new TextDecoder().decode(stdout)) as Result;
}

if (import.meta.main) {
  const task = await new Response(Deno.stdin.readable).text();
  const { target, connections, seconds } = JSON.parse(task) as {
    target: Target;
    connections: number;
    seconds: number;
  };
  const { url, headers, bodies, bodyBytes, paths, ...init } = target;
  const left = bodies?.values();
  const bytes = bodyBytes === undefined ? undefined : FILLER.repeat(bodyBytes);
  let sent = 0;
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  await Promise.all(Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const body = left === undefined ? bytes ?? init.body : left.next().value ?? "";
      const path = paths?.[sent++ % paths.length] ?? url;
      const address = new URL(path, url).href;
      const started = performance.now();
      const response = await fetch(address, {
        ...init,
        ...(body !== undefined && { body }),
        ...(headers && { headers: { ...headers } }),
      });
      await response.bytes();
      if (!response.ok) throw new Error(`${address} answered ${response.status}`);
      times.push(performance.now() - started);
    }
  }));
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)];
  const result: Result = { perSecond: times.length / seconds, answered: times.length, p99: p99! };
  console.log(JSON.stringify(result));
}
