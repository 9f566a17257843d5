import { java, python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { assertOutput, openBlog } from "./blog.ts";
import { generateClient } from "./openapi_generator.ts";

const [program, runtime] = [await require(python), await require(java)];

Deno.test({
  name:
    "OpenAPI Generator makes a Python client of a project, and mypy detects mistakes in its use",
  ignore: program === null || runtime === null,
  async fn() {
    await using blog = await openBlog("python");
    const { folder } = blog;
    const options = { cwd: folder, env: blog.env };
    const programs = await installPython(program!, "requirements.txt", folder);
    await generateClient({
      programs,
      language: "python",
      folder,
      output: ".",
      properties: ["generateSourceCodeOnly=true"],
    });
    await runTool([`${programs}/mypy`, "try.py", "mistakes.py"], options);
    assertOutput(await runTool([`${programs}/python`, "try.py"], options));
  },
});
