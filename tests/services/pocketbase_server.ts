/** PocketBase servers, built once from Go modules. */
import { type Program, startProgram } from "@/bench/process.ts";
import { isFile, servicesFolder } from "./programs.ts";

export const POCKETBASE_VERSION = "0.36.8";
const MODULE = "github.com/pocketbase/pocketbase/examples/base";
const OWNER = { identity: "bench@example.com", password: "seven wet stones 41" };

/** Returns the path of the program. Builds it with Go if it is missing. */
export async function findPocketbase(): Promise<string> {
  const folder = `${servicesFolder(Deno.env.toObject())}/pocketbase-${POCKETBASE_VERSION}`;
  const path = `${folder}/base`;
  if (await isFile(path)) return path;
  console.error(`Building PocketBase ${POCKETBASE_VERSION} into ${folder}: some minutes, once`);
  const built = `${folder}.${crypto.randomUUID()}`;
  const { success } = await new Deno.Command("go", {
    args: ["install", `${MODULE}@v${POCKETBASE_VERSION}`],
    env: { GOBIN: built },
  }).output();
  if (!success) throw new Error(`Go failed to build ${MODULE}`);
  await Deno.rename(built, folder);
  return path;
}

export interface Pocketbase {
  readonly program: Program;
  /** Token of the server's owner. */
  readonly token: string;
  /** Sends a request as the owner. Throws unless it succeeds. */
  // deno-lint-ignore no-explicit-any -- Answers of several shapes.
  call(path: string, body: unknown, method?: string): Promise<any>;
}

export async function startPocketbase(path: string, folder: string): Promise<Pocketbase> {
  const { success } = await new Deno.Command(path, {
    args: ["superuser", "upsert", OWNER.identity, OWNER.password, `--dir=${folder}`],
    stdout: "null",
  }).output();
  if (!success) throw new Error("PocketBase failed to create its owner");
  const args = (port: number) => ["serve", `--http=127.0.0.1:${port}`, `--dir=${folder}`];
  const program = await startProgram(path, args, { readyPath: "/api/health" });
  let token = "";
  const call: Pocketbase["call"] = async (path, body, method = "POST") => {
    const response = await fetch(`${program.url}/api/${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  token = (await call("collections/_superusers/auth-with-password", OWNER)).token;
  return { program, token, call };
}
