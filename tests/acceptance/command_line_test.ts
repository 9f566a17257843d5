/** The served command line, run by a separate Deno process. */

import assert from "node:assert/strict";
import { type Server, startServer } from "./server.ts";

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Terminal extends AsyncDisposable {
  readonly folder: string;
  /** Runs a command with the most recently saved token. */
  corbel(...words: string[]): Promise<CommandResult>;
  run(words: readonly string[], options: RunOptions): Promise<CommandResult>;
  /** Runs a command that must succeed, and returns its JSON output. */
  // deno-lint-ignore no-explicit-any -- Each command answers another shape.
  runForJson(...words: string[]): Promise<any>;
  as(token: string): void;
}

interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens a folder with its own cache, because another server may have used the port before. */
async function openTerminal({ url }: Pick<Server, "url">): Promise<Terminal> {
  const folder = await Deno.makeTempDir();
  let token = "";

  async function run(words: readonly string[], { stdin, env }: RunOptions): Promise<CommandResult> {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--quiet", "--allow-net", "--allow-env=CORBEL_URL,CORBEL_TOKEN"],
        ...["--allow-read", "--allow-write", `${url}/cli.js`, ...words],
      ],
      cwd: folder,
      clearEnv: true,
      env: { DENO_DIR: `${folder}/cache`, NO_COLOR: "1", ...env ?? { CORBEL_TOKEN: token } },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    const input = typeof stdin === "object" ? stdin : new TextEncoder().encode(stdin ?? "");
    await writer.write(input).catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  }

  const corbel = (...words: string[]) => run(words, {});
  return {
    folder,
    run,
    corbel,
    async runForJson(...words) {
      const { code, stdout, stderr } = await corbel(...words);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
    as: (text) => void (token = text),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function openOwner({ url, http }: Server) {
  const call = (path: string, body: unknown, cookie = "") =>
    fetch(`${url}/api/auth/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
      client: http,
    });
  const registered = await call("register", {
    email: "ada@example.com",
    password: "seven wet stones 41",
  });
  await registered.body?.cancel();
  const cookie = registered.headers.getSetCookie()
    .map((one) => one.split(";")[0]!).find((one) => one.startsWith("corbel_session="))!;
  return async (scope: object): Promise<string> => {
    const given = { name: "Test", access: "write", projects: "all", ...scope };
    const answer = await call("tokens", given, cookie);
    assert.equal(answer.status, 201);
    return (await answer.json()).data.token;
  };
}

Deno.test("the command line creates, fills and reads a project within the rights of its token", async () => {
  await using server = await startServer({ settings: { RATE_LIMITS: "off" } });
  await using terminal = await openTerminal(server);
  const { corbel, runForJson, folder, as, run } = terminal;
  const tokenFor = await openOwner(server);
  as(await tokenFor({}));

  const { projectId, secretKey } = await runForJson("projects", "create", "--name", "Blog");
  assert.match(secretKey, /^sk_live_/);
  assert.equal((await runForJson("projects", "list")).items[0].projectId, projectId);
  const project = ["--project", projectId];
  await Deno.writeTextFile(
    `${folder}/posts.json`,
    JSON.stringify({
      name: "posts",
      fields: [{ key: "title", type: "String" }, { key: "views", type: "Number" }],
    }),
  );
  await runForJson("collections", "create", ...project, "--data", "@posts.json");
  const posts = [...project, "--collection", "posts"];
  for (let views = 1; views <= 3; views++) {
    await runForJson(
      "documents",
      "create",
      ...posts,
      "--data",
      JSON.stringify({ title: "A", views }),
    );
  }
  const piped = await run(["documents", "create", ...posts, "--data", "-"], {
    stdin: '{"title":"B","views":4}',
    env: { CORBEL_TOKEN: await tokenFor({ projects: [projectId] }), CORBEL_URL: server.url },
  });
  assert.equal(piped.code, 0, piped.stderr);
  const latin = await run(["documents", "import", ...posts, "--text", "-"], {
    stdin: Uint8Array.of(0x74, 0x69, 0x74, 0x6c, 0x65, 0x0a, 0x4d, 0xfc, 0x0a),
    env: { CORBEL_TOKEN: "unused", CORBEL_URL: server.url },
  });
  assert.equal(latin.code, 2);
  assert.match(latin.stderr, /Standard input is not UTF-8, but perhaps Windows-1252 \(line 2\)/);
  const found = await runForJson(
    "documents",
    "list",
    ...posts,
    "--filter",
    "views_gt=2",
    "--sort",
    "views",
  );
  assert.deepEqual(found.items.map(({ views }: { views: number }) => views), [3, 4]);

  const all = ["documents", "list", ...posts, "--sort", "views", "--limit", "2", "--all"];
  const written = await corbel(...all, "--to", "all.jsonl");
  assert.deepEqual([written.code, written.stdout], [0, ""], written.stderr);
  const lines = (await Deno.readTextFile(`${folder}/all.jsonl`)).trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).views), [1, 2, 3, 4]);
  const file = await corbel("documents", "export-csv", ...posts, "--columns", "title,views");
  assert.equal(file.stdout.split("\r\n").length, 6, file.stderr);
  await Deno.writeTextFile(`${folder}/posts.csv`, `${file.stdout}C,many\r\n`);
  const load = ["documents", "import", ...posts, "--text", "@posts.csv"];
  const unfit = await corbel(...load);
  assert.deepEqual([unfit.code, unfit.stdout], [1, ""]);
  assert.match(
    unfit.stderr,
    /1 of 5 rows cannot be stored, so nothing is.*\n {2}row 5: The field "views"/,
  );
  assert.equal((await runForJson(...load, "--dry-run")).stored, 4);
  assert.equal((await runForJson(...load, "--skip-invalid")).stored, 4);
  const both = JSON.parse((await corbel("documents", "export-json", ...posts)).stdout);
  assert.equal(both.length, 8);
  const untried = await corbel("providers", "try", ...project, "--provider", "github");
  assert.match(untried.stderr, /PROVIDER_NOT_CONFIGURED 422/);

  const types = await corbel("types", "typescript", ...project);
  assert.match(types.stdout, /views\??: number/);

  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const large = Array.from({ length: 144 }, () => bytes);
  await Deno.writeFile(`${folder}/large.bin`, await new Blob(large).bytes());
  const { path, url } = await runForJson(
    "files",
    "upload",
    ...project,
    "large.bin",
    "--name",
    "Large.bin",
  );
  assert.match(path, /_Large\.bin$/);
  const served = await fetch(url, { client: server.http });
  assert.equal((await served.bytes()).length, 144 * 65_536);
  assert.equal((await runForJson("files", "list", ...project)).items[0].path, path);

  const user = ["users", "create", ...project, "--email", "eve@example.com", "--password", "-"];
  const created = await run(user, {
    stdin: "nine dry feathers 17\n",
    env: { CORBEL_TOKEN: await tokenFor({}) },
  });
  assert.equal(created.code, 0, created.stderr);
  assert.equal((await runForJson("users", "list", ...project)).items[0].email, "eve@example.com");

  const lost = await corbel("projects", "create", "--name", "Lost", "--to", "nowhere/keys.json");
  assert.deepEqual([lost.code, lost.stdout], [1, ""]);
  assert.equal((await runForJson("projects", "list")).items.length, 1);

  as(await tokenFor({ access: "read", projects: [projectId] }));
  assert.equal((await runForJson("projects", "show", ...project)).name, "Blog");
  const refused = await corbel("projects", "update", ...project, "--name", "Other");
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /may only read/);
  const kept = await corbel(
    "documents",
    "list",
    ...posts,
    "--sort",
    "nothing",
    "--to",
    "all.jsonl",
  );
  assert.match(kept.stderr, /INVALID_QUERY 400/);
  assert.equal((await Deno.readTextFile(`${folder}/all.jsonl`)).trimEnd().split("\n").length, 4);
  assert.match(refused.stderr, /TOKEN_SCOPE_EXCEEDED 403, request \S+/);
  const asJson = await corbel("projects", "create", "--name", "Other", "--json");
  const problem = JSON.parse(asJson.stderr);
  assert.deepEqual([asJson.code, problem.code, problem.status], [1, "TOKEN_SCOPE_EXCEEDED", 403]);
  assert.ok((await runForJson("account", "show")).email === "ada@example.com");
});

Deno.test("wrong usage exits with 2 and a remedy, and a missing server exits with 1", async () => {
  await using server = await startServer();
  await using terminal = await openTerminal(server);
  const { corbel, run } = terminal;
  const help = await corbel("--help");
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^corbel: the functions of the dashboard/);
  for (
    const [words, expected] of [
      [["projets", "list"], /is it "projects"\?\nSee corbel --help\.\n$/],
      [["projects", "lst"], /is it "projects list"\?\nSee corbel projects --help\.\n$/],
      [["documents", "list"], /needs --project, --collection\.\nSee corbel documents list --help/],
      [[], /Say what to do/],
      [["projects", "list"], /Set CORBEL_TOKEN/],
      [["projects", "list", "--token-file", "nowhere"], /"nowhere" cannot be read/],
      [["projects", "list", "--url", "http://corbel.example"], /unencrypted/],
      [["projects", "list", "--url", "corbel.example"], /begins with https:/],
    ] as const
  ) {
    const { code, stdout, stderr } = await corbel(...words);
    assert.deepEqual([code, stdout], [2, ""], words.join(" "));
    assert.match(stderr, expected);
  }
  const other = await run(["projects", "list"], { env: { CORBEL_TOKEN: "sk_live_x" } });
  assert.equal(other.code, 2);
  assert.match(other.stderr, /begin with corbel_pat_/);

  const token = `corbel_pat_${"A".repeat(43)}`;
  const bad = await run(["projects", "list"], { env: { CORBEL_TOKEN: token } });
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /ACCOUNT_TOKEN_INVALID 401/);
  assert.ok(!bad.stderr.includes(token));
  await server.stop();
  const alone = await run(["projects", "list", "--token-file", "-"], { stdin: token, env: {} });
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /cannot be reached/);
});
