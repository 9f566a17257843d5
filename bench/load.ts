/** Load from a second process: `wrk` where it is installed, else a small client of our own. */

/** What differs from one request to the next. */
export interface Sent {
  /** The URL's own where it is left out. */
  readonly path?: string;
  readonly bearer?: string;
  readonly body?: string;
}

export interface Target {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In the place of `body`: so many bytes, each of them {@linkcode FILLER}. */
  readonly bodyBytes?: number;
  /** One after the other, and from the first again unless each is good {@linkcode isOnce once}. */
  readonly requests?: readonly Sent[];
  readonly isOnce?: boolean;
}

export interface LoadOptions {
  readonly connections?: number;
  /** Whole ones, as `wrk` counts. */
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
  /** Requests that were answered; those under way at the end are not counted. */
  readonly answered: number;
  /** How many of them were not answered with success. */
  readonly refused: number;
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
  const result = await loaded(target, options);
  if (result.answered === 0) throw new Error(`${target.url} answered nothing in time`);
  if (result.refused > 0) throw new Error(`${target.url} refused ${result.refused} requests`);
  return result;
}

/** Whatever is answered. */
export async function loaded(target: Target, options: LoadOptions = {}): Promise<Result> {
  const { connections = CONNECTIONS, seconds = SECONDS, pinned = false } = options;
  return await succeeds("command -v wrk")
    ? await wrk(target, { connections, seconds, pinned })
    : await client(target, connections, seconds);
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
  const args = ["--latency", "--timeout=30s", "-t1", `-c${connections}`, `-d${seconds}s`];
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    args.push("-H", `${name}: ${value}`);
  }
  const folder = await Deno.makeTempDir();
  if (target.method !== undefined || target.requests !== undefined) {
    args.push("-s", await script(target, folder));
  }
  const [program, ...rest] = [...pin, "wrk", ...args, target.url];
  const { stdout } = await new Deno.Command(program!, { args: rest }).output();
  await Deno.remove(folder, { recursive: true });
  const text = new TextDecoder().decode(stdout);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s|m)\s/.exec(text) ?? [];
  if (unit === undefined || /Socket errors: connect [1-9]/.test(text)) {
    throw new Error(`${target.url} could not be measured:\n${text}`);
  }
  const { read = "0", timeout = "0" } =
    /Socket errors:.* read (?<read>\d+),.* timeout (?<timeout>\d+)/.exec(text)?.groups ?? {};
  const non2xx = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? "0";
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    answered: Number(/(\d+) requests in /.exec(text)![1]),
    refused: Number(non2xx) + Number(read) + Number(timeout),
    p99: Number(p99) * MILLISECONDS[unit as keyof typeof MILLISECONDS],
  };
}

const MILLISECONDS = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 };

/** What wrk sends, in its own language. Behind the last of what is good once it sends nothing good. */
async function script(
  { method = "GET", body = "", bodyBytes, requests, isOnce = false }: Target,
  folder: string,
): Promise<string> {
  const path = `${folder}/requests.lua`;
  const sent = bodyBytes === undefined
    ? JSON.stringify(body)
    : `string.rep("${FILLER}", ${bodyBytes})`;
  const lines = [`wrk.method = "${method}"`, `wrk.body = ${sent}`];
  if (requests !== undefined) {
    const rows = requests.map(({ path = "", bearer = "", body = "" }) =>
      `${path}\t${bearer}\t${body}`
    );
    await Deno.writeTextFile(`${folder}/requests`, rows.join("\n"));
    lines.push(
      `local requests, at = {}, 0`,
      `local function given(text) if text ~= "" then return text end end`,
      `init = function()`,
      `  for line in io.lines("${folder}/requests") do`,
      `    local path, bearer, body = line:match("^([^\\t]*)\\t([^\\t]*)\\t(.*)$")`,
      `    if bearer ~= "" then wrk.headers["Authorization"] = "Bearer " .. bearer end`,
      `    requests[#requests + 1] = wrk.format(nil, given(path), nil, given(body))`,
      `  end`,
      `end`,
      `request = function()`,
      isOnce
        ? `  at = at + 1; return requests[at] or wrk.format(nil, nil, nil, "")`
        : `  at = at % #requests + 1; return requests[at]`,
      `end`,
    );
  }
  await Deno.writeTextFile(path, lines.join("\n"));
  return path;
}

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
  const { url, headers, bodyBytes, requests = [{}], isOnce, ...init } = target;
  const filler = bodyBytes === undefined ? init.body : FILLER.repeat(bodyBytes);
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  let [sent, refused] = [0, 0];
  await Promise.all(Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const { path, bearer, body = filler } = isOnce
        ? requests[sent++] ?? {}
        : requests[sent++ % requests.length]!;
      const started = performance.now();
      const response = await fetch(new URL(path ?? url, url), {
        ...init,
        ...(body !== undefined && { body }),
        headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) },
      });
      await response.bytes();
      if (!response.ok) refused++;
      times.push(performance.now() - started);
    }
  }));
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  const answered = times.length;
  const result: Result = { perSecond: answered / seconds, answered, refused, p99 };
  console.log(JSON.stringify(result));
}
