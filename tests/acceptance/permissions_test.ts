import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { freePort, taskArguments } from "./server.ts";
import { until } from "./until.ts";

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function admin(settings: Record<string, string>, ...args: string[]) {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "admin", ...args, "--json"],
    env: settings,
  }).output();
  assert.ok(success, decoded(stderr));
  return JSON.parse(decoded(stdout));
}

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
);

/** Uploads a picture to a folder that does not exist, and reads it in another format. */
async function assertTakesFiles(url: string, settings: Record<string, string>): Promise<void> {
  const { secretKey } = await admin(settings, "project", "create", "--name", "Files");
  const type = "image/png";
  const ask = async (step: string, body: object) => {
    const headers = { "x-api-key": secretKey, "content-type": "application/json" };
    const answer = await fetch(`${url}/api/storage/${step}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return await answer.json();
  };
  const size = PIXEL.length;
  const { signedUrl, filePath } = await ask("upload-request", {
    filename: "a.png",
    contentType: type,
    size,
  });
  const put = await fetch(`${url}${new URL(signedUrl).pathname}`, {
    method: "PUT",
    headers: { "content-type": type },
    body: PIXEL,
  });
  assert.equal(put.status, 200, await put.text());
  assert.equal((await ask("upload-confirm", { filePath, size })).success, true);
  // Native code decodes it in each of the threads.
  for (let i = 0; i < 8; i++) {
    const answer = await fetch(`${url}/files/${filePath}?w=${16 * (i + 1)}&format=webp`, {
      headers: { connection: "close" },
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    assert.equal(answer.headers.get("content-type"), "image/webp");
    await answer.body?.cancel();
  }
}

Deno.test("the commands of the tasks work, also with spaces in a folder's name", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel test " });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = { DATABASE_URL: `sqlite:${folder}/d`, STORAGE_URL: `file:${folder}/a/b/files` };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "start"],
    env: { ...settings, PORT: `${port}`, WORKERS: "2" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const isReady = () =>
      fetch(`${url}/api/health/ready`).then(async (response) => {
        await response.body?.cancel();
        return response.ok;
      }, () => false);
    await until("ready", isReady);
    // Native code hashes the password.
    const body = JSON.stringify({ email: "ada@example.com", password: "dry stones in the yard" });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/api/auth/register`, { method: "POST", headers, body });
    assert.equal(answer.status, 201, await answer.text());
    assert.deepEqual((await admin(settings, "project", "list")).projects, []);
    await assertTakesFiles(url, settings);
  } finally {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the line that a task prints is short and does not describe Deno's installation", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "admin", "version"],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(code, 0);
  assert.match(decoded(stdout), /^corbel /);
  const [first, ...others] = decoded(stderr).trimEnd().split("\n");
  assert.match(first!, /^Task admin /);
  assert.ok(first!.length < 300, `${first!.length} characters`);
  assert.deepEqual(others, []);
});

/** Tries to read, write and load each path, and prints the permitted ones. */
const PATH_SCRIPT = `
  const [readable, writable, loadable] = [[], [], []];
  for (const path of Deno.args) {
    const state = async (name) => (await Deno.permissions.query({ name, path })).state;
    if (await state("read") === "granted") readable.push(path);
    if (await state("write") === "granted") writable.push(path);
    if (await state("ffi") === "granted") loadable.push(path);
  }
  console.log(JSON.stringify({ readable, writable, loadable }));
`;

const NATIVE = [
  import.meta.resolve("@node-rs/argon2").slice("file://".length),
  import.meta.resolve("sharp").slice("file://".length)
    .replace(/\/sharp\/.*/, "/@img/sharp-linux-x64"),
];

/** The file with the sets of permissions, because the script's folder does not have one. */
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

const OWN_FOLDERS = ["/srv/corbel/data/a", "/srv/corbel/files/a"];
/** Parent folders of those paths. In the image the parent is the root of the disk. */
const PARENT_FOLDERS = ["/srv/corbel", "/srv", "/"];

/** Runs a script with the permissions of a task, and returns its parsed output. */
async function runScript(
  task: string,
  script: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<unknown> {
  const settings = {
    DATABASE_URL: "sqlite:/srv/corbel/data",
    STORAGE_URL: "file:///srv/corbel/files",
  };
  const lines = await taskArguments(task, settings);
  const options = lines.slice(1, lines.findIndex((one) => one.endsWith("main.ts")));
  const file = await Deno.makeTempFile({ suffix: ".js" });
  await Deno.writeTextFile(file, script);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", `--config=${CONFIG}`, ...options, file, ...args],
    env,
    stderr: "inherit",
  }).output();
  await Deno.remove(file);
  return JSON.parse(decoded(stdout));
}

const findPermittedPaths = (task: string): Promise<unknown> =>
  runScript(task, PATH_SCRIPT, {
    args: [...OWN_FOLDERS, ...PARENT_FOLDERS, "/srv/other", "/etc/passwd", "/var/other", ...NATIVE],
  });

for (const task of ["start", "dev"]) {
  Deno.test(`${task} may access its folders and load two authors' packages, and nothing else`, async () => {
    assert.deepEqual(await findPermittedPaths(task), {
      readable: OWN_FOLDERS,
      writable: OWN_FOLDERS,
      loadable: NATIVE,
    });
  });
}

Deno.test("admin writes only to its folders", async () => {
  const { writable, loadable } = await findPermittedPaths("admin") as Record<string, string[]>;
  assert.deepEqual(writable, OWN_FOLDERS);
  assert.deepEqual(loadable, NATIVE);
});

/** Prints the permissions that are not about paths, and visible environment variables. */
const ENVIRONMENT_SCRIPT = `
  const state = async (descriptor) => (await Deno.permissions.query(descriptor)).state;
  const sys = (kind) => state({ name: "sys", kind });
  const found = ["PORT", "LOG_LEVEL", "SECRET_OF_ANOTHER"].map((name) => Deno.env.get(name) ?? null);
  const [net, run] = [await state({ name: "net" }), await state({ name: "run" })];
  const [osRelease, hostname] = [await sys("osRelease"), await sys("hostname")];
  console.log(JSON.stringify({ found, net, run, osRelease, hostname }));
`;

for (const task of ["start", "dev", "admin"]) {
  Deno.test(`${task} reads only its settings from the environment and starts no program`, async () => {
    const env = { PORT: "8123", LOG_LEVEL: "warn", SECRET_OF_ANOTHER: "secret" };
    assert.deepEqual(await runScript(task, ENVIRONMENT_SCRIPT, { env }), {
      found: ["8123", "warn", null],
      net: "granted",
      run: "prompt",
      osRelease: "granted",
      hostname: task === "admin" ? "prompt" : "granted",
    });
  });
}
