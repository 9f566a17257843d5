/** Generates load from a second process: `wrk` if it is installed, otherwise a small client. */

export interface RequestParts {
  /** Path; the URL's if left out. */
  readonly path?: string;
  readonly bearer?: string;
  readonly body?: string;
}

export interface Target {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Requests in order, repeated from the first unless {@linkcode isOnce} is set. */
  readonly requests?: readonly RequestParts[];
  readonly isOnce?: boolean;
  /** Number of connections; 32 if left out. */
  readonly connections?: number | undefined;
}

/** Whether to run a smoke test: each side has one short turn, and the figures are meaningless. */
export const isShort = Deno.args.includes("--short");

const CONNECTION_COUNT = 32;
/** Default duration in seconds, an integer because `wrk` requires it. */
const SECONDS = isShort ? 1 : 3;

export interface LoadResult {
  readonly perSecond: number;
  /** Number of answered requests, without those in flight at the end. */
  readonly answered: number;
  readonly refused: number;
  /** 99th percentile in milliseconds. */
  readonly p99: number;
}

/** Resolves to the successful requests per second. Throws if any was refused. */
export const load = async (target: Target, seconds?: number): Promise<number> =>
  (await underLoad(target, seconds)).perSecond;

/** Resolves to the 99th percentile in milliseconds. Throws if any request was refused. */
export const latency99 = async (target: Target, seconds?: number): Promise<number> =>
  (await underLoad(target, seconds)).p99;

/** Runs a load test. Throws if any request was refused, or none was answered in time. */
export async function underLoad(target: Target, seconds?: number): Promise<LoadResult> {
  const result = await runLoad(target, seconds);
  if (result.answered === 0) throw new Error(`${target.url} answered nothing in time`);
  if (result.refused > 0) throw new Error(`${target.url} refused ${result.refused} requests`);
  return result;
}

/** Runs a load test, whatever the answers. */
export const runLoad = async (target: Target, seconds = SECONDS): Promise<LoadResult> =>
  await (await hasWrk() ? wrk(target, seconds) : client(target, seconds));

let wrkLookup: Promise<boolean> | undefined;

const hasWrk = (): Promise<boolean> =>
  wrkLookup ??= new Deno.Command("sh", { args: ["-c", "command -v wrk"], stdout: "null" })
    .output().then(({ success }) => success);

const MILLISECONDS: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 };

async function wrk(target: Target, seconds: number): Promise<LoadResult> {
  const { connections = CONNECTION_COUNT } = target;
  const args = ["--latency", "--timeout=30s", "-t1", `-c${connections}`, `-d${seconds}s`];
  for (const header of Object.entries(target.headers ?? {})) args.push("-H", header.join(": "));
  const folder = await Deno.makeTempDir();
  args.push("-s", await script(target, folder), target.url);
  const { stdout } = await new Deno.Command("wrk", { args }).output();
  await Deno.remove(folder, { recursive: true });
  const text = new TextDecoder().decode(stdout);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s|m)\s/.exec(text) ?? [];
  if (unit === undefined || /Socket errors: connect [1-9]/.test(text)) {
    throw new Error(`${target.url} could not be measured:\n${text}`);
  }
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    perSecond: count(/Requests\/sec:\s+([\d.]+)/),
    answered: count(/(\d+) requests in /),
    refused: count(/Non-2xx or 3xx responses: (\d+)/) + count(/Socket errors:.* read (\d+)/) +
      count(/Socket errors:.* timeout (\d+)/),
    p99: Number(p99) * MILLISECONDS[unit]!,
  };
}

/** Writes a script for `wrk`. After the last single-use request, it sends invalid ones. */
async function script(
  { method = "GET", body = "", requests = [{}], isOnce = false }: Target,
  folder: string,
): Promise<string> {
  const rows = requests.map((sent) => [sent.path, sent.bearer, sent.body].join("\t"));
  await Deno.writeTextFile(`${folder}/requests`, rows.join("\n") + "\n");
  await Deno.writeTextFile(`${folder}/body`, body);
  const next = isOnce
    ? `at = at + 1; return requests[at] or wrk.format(nil, nil, nil, "")`
    : `at = at % #requests + 1; return requests[at]`;
  await Deno.writeTextFile(
    `${folder}/requests.lua`,
    `local function given(text) if text ~= "" then return text end end
     wrk.method, wrk.body = "${method}", given(io.open("${folder}/body"):read("*a"))
     local requests, at = {}, 0
     init = function()
       for line in io.lines("${folder}/requests") do
         local path, bearer, body = line:match("^([^\\t]*)\\t([^\\t]*)\\t(.*)$")
         if bearer ~= "" then wrk.headers["Authorization"] = "Bearer " .. bearer end
         requests[#requests + 1] = wrk.format(nil, given(path), nil, given(body))
       end
     end
     request = function() ${next} end`,
  );
  return `${folder}/requests.lua`;
}

async function client(target: Target, seconds: number): Promise<LoadResult> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", import.meta.url],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  await new Blob([JSON.stringify([target, seconds])]).stream().pipeTo(child.stdin);
  const { stdout, success } = await child.output();
  if (!success) throw new Error(`${target.url} failed`);
  return JSON.parse(new TextDecoder().decode(stdout)) as LoadResult;
}

async function send(target: Target, seconds: number): Promise<LoadResult> {
  const { url, headers, requests = [{}], isOnce, connections = CONNECTION_COUNT, ...init } = target;
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  let [sent, refused] = [0, 0];
  await Promise.all(Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const at = sent++;
      const { path = url, bearer, body } = requests[isOnce ? at : at % requests.length] ?? {};
      const authorization = bearer && { authorization: `Bearer ${bearer}` };
      const started = performance.now();
      const response = await fetch(new URL(path, url), {
        ...init,
        ...(body !== undefined && { body }),
        headers: { ...headers, ...authorization },
      });
      await response.bytes();
      if (!response.ok) refused++;
      times.push(performance.now() - started);
    }
  }));
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  return { perSecond: times.length / seconds, answered: times.length, refused, p99 };
}

if (import.meta.main) {
  const [target, seconds] = await new Response(Deno.stdin.readable).json();
  console.log(JSON.stringify(await send(target, seconds)));
}
