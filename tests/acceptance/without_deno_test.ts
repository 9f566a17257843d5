/** What the guides begin with, for a machine with Node and no Deno. */

import assert from "node:assert/strict";
import { pageText } from "./guide_reader.ts";

const PAGES = ["README.md", "docs/quickstart.md"];

/** Programs that print how they were called. */
async function makePrograms(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await Deno.writeTextFile(`${folder}/${name}`, `#!/bin/sh\necho ${name} "$@"\n`, {
      mode: 0o755,
    });
  }
}

async function called(line: string, programs: readonly string[]): Promise<string> {
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

Deno.test("the guides' first line gives the same commands with Deno and without", async () => {
  const pinned = (await pageText(".dvmrc")).trim();
  for (const page of PAGES) {
    const [, line] = /^(command -v deno .+)$/m.exec(await pageText(page))!;
    const words = "task admin project create --name My app";
    assert.equal(await called(line!, ["npx"]), `npx --yes deno@${pinned} ${words}`, page);
    assert.equal(await called(line!, ["npx", "deno"]), `deno ${words}`, page);
  }
});
