import assert from "node:assert/strict";
import { isFile } from "./programs.ts";
import { buildStandIn, standInPath } from "./stand_in.ts";

/** Script of `cargo`: `$root` is the target folder, `$locked` is set for a locked build. */
const BUILD = 'mkdir -p "$root/bin" && echo program > "$root/bin/secantusd-rs"';

interface Machine extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly cache: string;
  readonly said: string[];
  build(signal?: AbortSignal): Promise<void>;
  /** Returns the arguments of each call of cargo. */
  calls(): Promise<string[]>;
  left(): string[];
}

/** Creates a machine whose `cargo` is a script, with additional tools. */
async function machineWith(
  { cargo, tools = ["cc", "cmake"] }: { cargo: string | null; tools?: readonly string[] },
): Promise<Machine> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-services-" });
  const cache = `${folder}/cache`;
  const said: string[] = [];
  const put = (name: string, script: string) =>
    Deno.writeTextFile(`${folder}/bin/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await Deno.mkdir(`${folder}/bin`);
  for (const tool of tools) await put(tool, "exit 0");
  if (cargo !== null) {
    const words = `echo "$*" >> ${folder}/calls; for last; do root=$last; done`;
    await put("cargo", `${words}; case "$*" in *--locked*) locked=1;; esac; ${cargo}`);
  }
  const env = { PATH: `${folder}/bin`, HOME: folder, CORBEL_SERVICES_DIR: cache };
  return {
    env,
    cache,
    said,
    build: (signal) =>
      buildStandIn(env, { say: (line) => void said.push(line), ...(signal && { signal }) }),
    calls: async () => (await Deno.readTextFile(`${folder}/calls`)).trimEnd().split("\n"),
    left: () => [...Deno.readDirSync(cache)].map(({ name }) => name),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("a build leaves only the program in the cache, and reports its progress", async () => {
  await using machine = await machineWith({ cargo: BUILD });
  await machine.build();
  assert.ok(await isFile(standInPath(machine.env)));
  assert.equal(machine.left().length, 1);
  assert.match(machine.said.join("\n"), /Building secantus-mdb .* into .*cache/);
  const [call, ...more] = await machine.calls();
  assert.deepEqual(more, []);
  assert.match(
    call!,
    /^install secantus-mdb --version \S+ --locked --ignore-rust-version --root \S+$/,
  );
});

Deno.test("a rejected lock file is left out on a second try", async () => {
  const refusal = "error: cannot update the lock file Cargo.lock because --locked was passed";
  await using machine = await machineWith({
    cargo: `if [ "$locked" ]; then echo "${refusal}" >&2; exit 101; fi; ${BUILD}`,
  });
  await machine.build();
  assert.ok(await isFile(standInPath(machine.env)));
  const calls = await machine.calls();
  assert.deepEqual(calls.map((call) => call.includes("--locked")), [true, false]);
});

Deno.test("a failed build is not repeated and leaves no partial program", async () => {
  await using machine = await machineWith({ cargo: `${BUILD}; echo "error: no disk" >&2; exit 1` });
  await assert.rejects(machine.build(), /failed to build/);
  assert.ok(machine.said.includes("error: no disk"), "the output of cargo is reported");
  assert.equal((await machine.calls()).length, 1);
  assert.deepEqual(machine.left(), []);
  assert.ok(!await isFile(standInPath(machine.env)));
});

Deno.test("a build without the program is a failed build", async () => {
  await using machine = await machineWith({ cargo: "exit 0" });
  await assert.rejects(machine.build(), /no program/);
  assert.deepEqual(machine.left(), []);
});

Deno.test("a stopped build ends and leaves nothing", async () => {
  // `exec` replaces the shell, which leaves no child process behind.
  await using machine = await machineWith({ cargo: `${BUILD}; exec sleep 600` });
  const stop = new AbortController();
  const building = machine.build(stop.signal);
  const reason = assert.rejects(building, /stopped/);
  while (machine.said.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await reason;
  assert.deepEqual(machine.left(), []);
});

Deno.test("of two concurrent builds both succeed, and one folder stays", async () => {
  await using machine = await machineWith({ cargo: BUILD });
  await Promise.all([machine.build(), machine.build()]);
  assert.ok(await isFile(standInPath(machine.env)));
  assert.equal(machine.left().length, 1);
});

Deno.test("all missing tools are reported at once, with commands and alternatives", async () => {
  await using machine = await machineWith({ cargo: null, tools: [] });
  await assert.rejects(machine.build(), (error: Error) => {
    for (const part of ["rustup.rs", "build-essential", "cmake", "deno task services", "mongod"]) {
      assert.ok(error.message.includes(part), `"${part}" in: ${error.message}`);
    }
    return true;
  });
  await using other = await machineWith({ cargo: BUILD, tools: ["cc"] });
  await assert.rejects(other.build(), (error: Error) => {
    assert.ok(error.message.includes("cmake") && !error.message.includes("rustup"), error.message);
    return true;
  });
});
