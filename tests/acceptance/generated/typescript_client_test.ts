import assert from "node:assert/strict";
import { node } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { runTool } from "../tools.ts";
import { assertOutput, openBlog } from "./blog.ts";

const program = await require(node);

const PAGE = new URL("../../../docs/types.md", import.meta.url);

async function examplesOf(page: URL): Promise<string[]> {
  const text = await Deno.readTextFile(page);
  return [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, example]) => example!);
}

Deno.test({
  name: "openapi-typescript makes types of a project that accept correct code and reject mistakes",
  ignore: program === null,
  async fn() {
    await using blog = await openBlog("typescript");
    const { folder } = blog;
    const options = { cwd: folder, env: blog.env };
    const examples = await examplesOf(PAGE);
    assert.ok(examples.length >= 2, "the page has no examples");
    for (const [i, text] of examples.entries()) {
      await Deno.writeTextFile(`${folder}/page_${i + 1}.ts`, text);
    }
    await runTool(
      ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"],
      options,
    );
    const installed = `${folder}/node_modules/.bin`;
    await runTool([`${installed}/openapi-typescript`, "corbel.json", "-o", "corbel.d.ts"], options);
    await runTool([`${installed}/tsc`], options);
    assertOutput(await runTool([program!, "try.js"], options));
  },
});
