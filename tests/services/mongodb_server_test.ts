import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { mongodbProgram, require } from "./mod.ts";
import { until } from "../acceptance/until.ts";
import { findMongodbProgram, type MongodbProgram } from "./mongodb.ts";
import { type Mongodb, type MongodbOptions, startMongodb } from "./mongodb_server.ts";
import { accepts, isRunning, isThere } from "./probes.ts";

const GONE_MS = 20_000;

await require(mongodbProgram);
const program = await findMongodbProgram(Deno.env.toObject());

/** Registers a test that is ignored if there is no program to start. */
function onMongodb(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: program === null, fn });
}

async function insert({ url }: Mongodb, name: string): Promise<void> {
  await using client = new MongoClient(url);
  const options = { writeConcern: { w: "majority", journal: true } } as const;
  await client.db("kept").collection("things").insertOne({ name }, options);
}

async function namesIn({ url }: Mongodb): Promise<string[]> {
  await using client = new MongoClient(url);
  const things = await client.db("kept").collection("things").find().sort({ name: 1 }).toArray();
  return things.map(({ name }) => name);
}

onMongodb("a started server takes writes as the primary of a replica set", async () => {
  await using server = await startMongodb();
  assert.match(server.url, /\?replicaSet=\w+$/);
  await insert(server, "one");
  assert.deepEqual(await namesIn(server), ["one"]);
});

onMongodb("a standalone server reports that it does not belong to a replica set", async () => {
  await using server = await startMongodb({ standalone: true });
  assert.doesNotMatch(server.url, /replicaSet/);
  await using client = new MongoClient(server.url);
  const { isWritablePrimary, setName } = await client.db("admin").command({ hello: 1 });
  assert.deepEqual([isWritablePrimary, setName], [true, undefined]);
});

onMongodb("servers that start concurrently have separate ports and folders", async () => {
  const servers = await Promise.all([startMongodb(), startMongodb()]);
  try {
    for (const member of ["port", "folder", "pid"] as const) {
      assert.equal(new Set(servers.map((server) => server[member])).size, 2, member);
    }
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

onMongodb("a disposed server is stopped, and its folder is removed", async () => {
  const server = await startMongodb();
  const { pid, port, folder } = server;
  assert.ok(isRunning(pid) && await accepts(port) && await isThere(folder));
  await server[Symbol.asyncDispose]();
  assert.deepEqual(
    [isRunning(pid), await accepts(port), await isThere(folder)],
    [false, false, false],
  );
  await server.stop();
  await server.kill();
});

onMongodb(
  "a killed server restarts at its address with all acknowledged writes",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "corbel-services-" });
    const options: MongodbOptions = { folder, syncOnCommit: true };
    try {
      const first = await startMongodb(options);
      await insert(first, "one");
      await first.kill();
      assert.ok(!isRunning(first.pid) && await isThere(folder));
      {
        await using again = await startMongodb({ ...options, port: first.port });
        assert.equal(again.url, first.url);
        await insert(again, "two");
        assert.deepEqual(await namesIn(again), ["one", "two"]);
      }
      assert.ok(await isThere(folder), "a given folder stays");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

const STARTER = `
  import { startMongodb } from ${JSON.stringify(import.meta.resolve("./mongodb_server.ts"))};
  const { port, folder } = await startMongodb();
  console.log(JSON.stringify({ port, folder }));
  await new Promise((resolve) => setTimeout(resolve, 600_000));
`;

onMongodb("a server whose starter is killed stops soon, and its folder is removed", async () => {
  const starter = new Deno.Command(Deno.execPath(), {
    args: ["eval", STARTER],
    cwd: new URL("../../", import.meta.url),
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = starter.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) said += (await reader.read()).value!;
  const { port, folder } = JSON.parse(said);
  assert.ok(await accepts(port) && await isThere(folder));
  starter.kill("SIGKILL");
  await starter.status;
  await reader.cancel();
  await until("the server is gone", async () => !await accepts(port), GONE_MS);
  await until("its folder is gone", async () => !await isThere(folder), GONE_MS);
});

/** Creates a program in place of a server, which writes down its process id and its folder. */
async function withFakeServer(
  script: string,
  check: (program: MongodbProgram, notes: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-services-" });
  const path = `${folder}/program`;
  const note =
    'for word; do if [ "$last" = --storage-path ]; then kept=$word; fi; last=$word; done';
  const text = `#!/bin/sh\n${note}\necho "$$" "$kept" >> ${folder}/told\n${script}\n`;
  await Deno.writeTextFile(path, text, { mode: 0o755 });
  try {
    await check(
      { kind: "stand-in", path },
      async () => (await Deno.readTextFile(`${folder}/told`)).trimEnd().split("\n"),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function assertNothingLeft(notes: readonly string[]): Promise<void> {
  for (const line of notes) {
    const [pid, folder] = line.split(" ") as [string, string];
    assert.match(folder, /corbel-mongodb-/);
    assert.deepEqual([isRunning(Number(pid)), await isThere(folder)], [false, false]);
  }
}

Deno.test("a server that ends during its start is reported with its output, and nothing is left", async () => {
  await withFakeServer("echo one; echo two >&2; exit 3", async (program, notes) => {
    await assert.rejects(startMongodb({ program }), (error: Error) => {
      for (const part of [program.path, "ended", "one", "two"]) {
        assert.ok(error.message.includes(part), error.message);
      }
      return true;
    });
    assert.equal((await notes()).length, 1);
    await assertNothingLeft(await notes());
  });
});

Deno.test("a server that never takes writes is reported with its output, and nothing is left", async () => {
  await withFakeServer("echo waiting; exec sleep 600", async (program, notes) => {
    await assert.rejects(
      startMongodb({ program, withinMs: 500 }),
      /takes no writes after 500 ms[^]*waiting/,
    );
    await assertNothingLeft(await notes());
  });
});

Deno.test("a port that another process took in the meantime is replaced", async () => {
  await withFakeServer("echo 'Address already in use' >&2; exit 1", async (program, notes) => {
    await assert.rejects(startMongodb({ program }), /in use/);
    assert.equal((await notes()).length, 5);
    await assertNothingLeft(await notes());
  });
});

Deno.test("a requested port is not replaced", async () => {
  await withFakeServer("echo 'Address already in use' >&2; exit 1", async (program, notes) => {
    await assert.rejects(startMongodb({ program, port: 1 }), /in use/);
    assert.equal((await notes()).length, 1);
  });
});
