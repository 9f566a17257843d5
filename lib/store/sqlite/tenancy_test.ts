import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { Tenancy } from "./tenancy.ts";

async function tempFolder() {
  const path = await Deno.makeTempDir({ prefix: "corbel-tenancy-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const isAlone = ({ moment }: Tenancy): boolean => !Number.isNaN(moment);

async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

Deno.test("who is alone knows it until somebody has come, and again when they have gone", async () => {
  await using folder = await tempFolder();
  using first = await Tenancy.enter(folder.path);
  assert.ok(isAlone(first));
  for (const _ of [1, 2]) {
    const second = await Tenancy.enter(folder.path);
    assert.ok(!isAlone(first) && !isAlone(second));
    second[Symbol.dispose]();
    await until(() => isAlone(first), "they are alone again");
  }
});

Deno.test("a moment passes: programs that know of no locks are seen soon", async () => {
  await using folder = await tempFolder();
  using only = await Tenancy.enter(folder.path);
  const { moment } = only;
  assert.equal(moment, only.moment);
  await until(() => only.moment !== moment, "it is another moment");
});

Deno.test("of those who come and go at once no two are alone, and the last one is", async () => {
  await using folder = await tempFolder();
  const inside = new Set<Tenancy>();
  let wasAlone = 0;
  const look = () => {
    const alone = [...inside].filter(isAlone);
    if (alone.length > 0) assert.equal(inside.size, 1, "alone beside others");
    wasAlone += alone.length;
  };
  await Promise.all(Array.from({ length: 12 }, async (_, n) => {
    for (let round = 0; round < 6; round++) {
      const tenancy = await Tenancy.enter(folder.path);
      inside.add(tenancy);
      for (let i = 0; i < 10; i++) {
        look();
        await new Promise((resolve) => setTimeout(resolve, (n * 7 + round * 3) % 20));
      }
      inside.delete(tenancy);
      tenancy[Symbol.dispose]();
    }
  }));
  assert.equal(inside.size, 0);
  using last = await Tenancy.enter(folder.path);
  assert.ok(isAlone(last));
  assert.ok(wasAlone > 0);
});

const ENTER = `
  import { Tenancy } from "${new URL("./tenancy.ts", import.meta.url)}";
  const tenancy = await Tenancy.enter(Deno.args[0]);
  console.log("in");
  for await (const _ of Deno.stdin.readable);
`;

/** Another process in the folder. */
async function enterElsewhere(folder: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", "--ext=ts", ENTER, folder],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = child.stdout.getReader();
  const { value } = await output.read();
  assert.equal(new TextDecoder().decode(value), "in\n");
  return {
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await Promise.all([child.status, output.cancel(), child.stdin.close().catch(() => {})]);
    },
    pause: () => child.kill("SIGSTOP"),
  };
}

Deno.test("what a process held is free when it is killed", async () => {
  await using folder = await tempFolder();
  using own = await Tenancy.enter(folder.path);
  const other = await enterElsewhere(folder.path);
  assert.ok(!isAlone(own));
  await other.kill();
  await until(() => isAlone(own), "they are alone again");
});

Deno.test("who is alone and does not answer keeps everybody out, with a message", async () => {
  await using folder = await tempFolder();
  const other = await enterElsewhere(folder.path);
  other.pause();
  try {
    await assert.rejects(
      () => Tenancy.enter(folder.path, 300),
      (error) => error instanceof StoreUnavailable && /does not answer/.test(error.message),
    );
  } finally {
    await other.kill();
  }
  using own = await Tenancy.enter(folder.path);
  assert.ok(isAlone(own));
});
