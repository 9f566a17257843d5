import { python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { assertTried, openBlog } from "./blog.ts";

const program = await require(python);

Deno.test({
  name: "openapi-python-client makes a client that lists, creates, pages and reads a refusal",
  ignore: program === null,
  async fn() {
    await using blog = await openBlog("python");
    const options = { cwd: blog.folder, env: blog.env };
    const programs = await installPython(program!, "requirements.txt", blog.folder);
    const generator = `${programs}/openapi-python-client`;
    const flags = ["--path", "openapi.json", "--meta", "none", "--output-path", "corbel"];
    await runTool([generator, "generate", ...flags], options);
    assertTried(await runTool([`${programs}/python`, "try.py"], options));
  },
});
