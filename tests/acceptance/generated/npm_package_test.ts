import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { node } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { runTool } from "../tools.ts";
import { openBlog } from "./blog.ts";

const program = await require(node);

const CLIENT = fileURLToPath(new URL("../../../client/", import.meta.url));

Deno.test({
  name: "the client's package installs into an empty project, compiles strictly and works on Node",
  ignore: program === null,
  async fn() {
    await using blog = await openBlog("npm");
    const options = { cwd: blog.folder, env: blog.env };
    const packed = await runTool(["npm", "pack", CLIENT, "--silent"], options);
    const quiet = ["--silent", "--no-audit", "--no-fund", "--no-package-lock"];
    await runTool(["npm", "install", ...quiet, `./${packed.trim()}`], options);
    const holds = (await runTool(["tar", "-tf", packed.trim()], options)).trim().split("\n");
    assert.deepEqual(holds.toSorted(), [
      "package/client.d.ts",
      "package/client.js",
      "package/package.json",
    ]);
    await runTool([`${blog.folder}/node_modules/.bin/tsc`], options);
    assert.deepEqual(JSON.parse(await runTool([program!, "try.js"], options)), {
      found: ["Four", "Five"],
      created: "Six",
      pages: [["One", "Two", "Three", "Four"], ["Five", "Six"]],
      refused: [409, "DUPLICATE_VALUE"],
    });
  },
});
