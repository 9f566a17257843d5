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

/** Requests per second that were answered with success. Throws if any was not. */
export async function load(target: Target, options: LoadOptions = {}): Promise<number> {
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

async function wrk(target: Target, connections: number, seconds: number): Promise<number> {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`];
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
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]);
}

async function client(target: Target, connections: number, seconds: number): Promise<number> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", import.meta.url, JSON.stringify({ target, connections, seconds })],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${target.url} failed`);
  return Number(new TextDecoder().decode(stdout));
}

if (import.meta.main) {
  const { target, connections, seconds } = JSON.parse(Deno.args[0]!) as {
    target: Target;
    connections: number;
    seconds: number;
  };
  const until = performance.now() + seconds * 1000;
  let answered = 0;
  await Promise.all(Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const { url, headers, ...init } = target;
      const response = await fetch(url, { ...init, ...(headers && { headers: { ...headers } }) });
      await response.bytes();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      answered++;
    }
  }));
  console.log(answered / seconds);
}
