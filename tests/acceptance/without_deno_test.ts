/** The first commands of the guides, for a machine with Node and without Deno. */

import assert from "node:assert/strict";
import { pageText } from "./guide_reader.ts";

const PAGES = ["README.md", "docs/quickstart.md"];

async function makePrograms(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await Deno.writeTextFile(`${folder}/${name}`, `#!/bin/sh\necho ${name} "$@"\n`, {
      mode: 0o755,
    });
  }
}

async function commandOf(line: string, programs: readonly string[]): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await makePrograms(folder, programs);
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", `${line}\ndeno task admin project create --name "My app"`],
      env: { PATH: folder },
      clearEnv: true,
    }).output();
    return new TextDecoder().decode(stdout).trim();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the guides' first line gives the same commands with and without Deno", async () => {
  const pinned = (await pageText(".dvmrc")).trim();
  for (const page of PAGES) {
    const [, line] = /^(command -v deno .+)$/m.exec(await pageText(page))!;
    const words = "task admin project create --name My app";
    assert.equal(await commandOf(line!, ["npx"]), `npx --yes deno@${pinned} ${words}`, page);
    assert.equal(await commandOf(line!, ["npx", "deno"]), `deno ${words}`, page);
  }
});
