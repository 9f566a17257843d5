import { go } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { runTool } from "../tools.ts";
import { assertTried, openBlog } from "./blog.ts";

const program = await require(go);

const GENERATOR = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";

Deno.test({
  name: "oapi-codegen makes a Go client that lists, creates, pages and reads a refusal",
  ignore: program === null,
  async fn() {
    await using blog = await openBlog("go");
    const options = { cwd: blog.folder, env: blog.env };
    await Deno.mkdir(`${blog.folder}/corbel`);
    const flags = ["-generate", "types,client", "-package", "corbel", "-o", "corbel/corbel.go"];
    await runTool([program!, "run", GENERATOR, ...flags, "openapi.json"], options);
    // Notes the hashes of the packages that the client needs.
    await runTool([program!, "mod", "tidy"], options);
    await runTool([program!, "vet", "./..."], options);
    assertTried(await runTool([program!, "run", "."], options));
  },
});
