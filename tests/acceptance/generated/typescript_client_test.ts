import { node } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { runTool } from "../tools.ts";
import { assertTried, openBlog } from "./blog.ts";

const program = await require(node);

Deno.test({
  name:
    "openapi-typescript makes types by which a client lists, creates, pages and reads a refusal",
  ignore: program === null,
  async fn() {
    await using blog = await openBlog("typescript");
    const options = { cwd: blog.folder, env: blog.env };
    await runTool(
      ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"],
      options,
    );
    const installed = `${blog.folder}/node_modules/.bin`;
    await runTool(
      [`${installed}/openapi-typescript`, "openapi.json", "-o", "corbel.d.ts"],
      options,
    );
    await runTool([`${installed}/tsc`], options);
    assertTried(await runTool([program!, "try.js"], options));
  },
});
