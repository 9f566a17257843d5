import { fileURLToPath } from "node:url";
import type { Project } from "./project.ts";
import { freePort, type Server } from "./server.ts";
import { until } from "./until.ts";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const README = new URL("../../examples/upload/README.md", import.meta.url);
const START_MS = 30_000;

/** Of the surroundings, only what Deno itself needs. */
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME"];

/** The example, served. */
export interface UploadSite extends AsyncDisposable {
  readonly origin: string;
}

/** Serves the example by the one command of its README, for a project. */
export async function serveUploadSite(server: Server, project: Project): Promise<UploadSite> {
  const port = freePort();
  const command = /CORBEL_SECRET_KEY=\S+ deno (run [^`]+)/.exec(await Deno.readTextFile(README))!;
  const inherited = INHERITED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const child = new Deno.Command(Deno.execPath(), {
    args: command[1]!.trim().split(/[\s\\]+/),
    cwd: CHECKOUT,
    clearEnv: true,
    env: {
      ...Object.fromEntries(inherited),
      CORBEL_URL: server.url,
      CORBEL_SECRET_KEY: project.secretKey,
      PORT: String(port),
    },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) said += text;
  })();
  let isOver = false;
  const ended = child.status.then(() => void (isOver = true));
  const end = async () => {
    if (!isOver) child.kill("SIGTERM");
    await Promise.all([ended, read]);
  };
  const origin = `http://localhost:${port}`;
  try {
    await until("the example is served", async () => {
      if (isOver) throw new Error("the example ended");
      try {
        const response = await fetch(origin, { client: server.http });
        await response.body?.cancel();
        return response.ok;
      } catch {
        return false; // Not listening yet.
      }
    }, START_MS);
  } catch (error) {
    await end();
    throw new Error(`${(error as Error).message}. It said:\n${said}`, { cause: error });
  }
  return { origin, [Symbol.asyncDispose]: end };
}
