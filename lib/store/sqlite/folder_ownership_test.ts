import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { FolderOwnership } from "./folder_ownership.ts";

async function tempFolder() {
  const path = await Deno.makeTempDir({ prefix: "corbel-ownership-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const isOwner = ({ exclusiveEpoch }: FolderOwnership): boolean => !Number.isNaN(exclusiveEpoch);

async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

Deno.test("an engine owns its folder until another one joins, and again once that has left", async () => {
  await using folder = await tempFolder();
  using first = await FolderOwnership.enter(folder.path);
  assert.ok(isOwner(first));
  for (const _ of [1, 2]) {
    const second = await FolderOwnership.enter(folder.path);
    assert.ok(!isOwner(first) && !isOwner(second));
    second[Symbol.dispose]();
    await until(() => isOwner(first), "they are alone again");
  }
});

Deno.test("the epoch of an owner ends soon, for programs that take no locks", async () => {
  await using folder = await tempFolder();
  using only = await FolderOwnership.enter(folder.path);
  const { exclusiveEpoch } = only;
  assert.equal(exclusiveEpoch, only.exclusiveEpoch);
  await until(() => only.exclusiveEpoch !== exclusiveEpoch, "it is another epoch");
});

Deno.test("of engines that join and leave concurrently no two own the folder, and the last one does", async () => {
  await using folder = await tempFolder();
  const inside = new Set<FolderOwnership>();
  let wasAlone = 0;
  const look = () => {
    const alone = [...inside].filter(isOwner);
    if (alone.length > 0) assert.equal(inside.size, 1, "alone beside others");
    wasAlone += alone.length;
  };
  await Promise.all(Array.from({ length: 12 }, async (_, n) => {
    for (let round = 0; round < 6; round++) {
      const ownership = await FolderOwnership.enter(folder.path);
      inside.add(ownership);
      for (let i = 0; i < 10; i++) {
        look();
        await new Promise((resolve) => setTimeout(resolve, (n * 7 + round * 3) % 20));
      }
      inside.delete(ownership);
      ownership[Symbol.dispose]();
    }
  }));
  assert.equal(inside.size, 0);
  using last = await FolderOwnership.enter(folder.path);
  assert.ok(isOwner(last));
  assert.ok(wasAlone > 0);
});

const ENTER = `
  import { FolderOwnership } from "${new URL("./folder_ownership.ts", import.meta.url)}";
  const ownership = await FolderOwnership.enter(Deno.args[0]);
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
  using own = await FolderOwnership.enter(folder.path);
  const other = await enterElsewhere(folder.path);
  assert.ok(!isOwner(own));
  await other.kill();
  await until(() => isOwner(own), "they are alone again");
});

Deno.test("a single process that does not answer keeps every other out, with a message", async () => {
  await using folder = await tempFolder();
  const other = await enterElsewhere(folder.path);
  other.pause();
  try {
    await assert.rejects(
      () => FolderOwnership.enter(folder.path, 300),
      (error) => error instanceof StoreUnavailable && /does not answer/.test(error.message),
    );
  } finally {
    await other.kill();
  }
  using own = await FolderOwnership.enter(folder.path);
  assert.ok(isOwner(own));
});
