import { go, java, python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { assertTried, openBlog } from "./blog.ts";
import { generateClient } from "./openapi_generator.ts";

const program = await require(go);
/** What the generator comes by, and runs on. */
const [pythonProgram, runtime] = [await require(python), await require(java)];

Deno.test({
  name: "OpenAPI Generator makes a Go client of a project, which compiles, reads and writes",
  ignore: [program, pythonProgram, runtime].includes(null),
  async fn() {
    await using blog = await openBlog("go");
    const { folder } = blog;
    const options = { cwd: folder, env: blog.env };
    const programs = await installPython(pythonProgram!, "requirements.txt", folder);
    await generateClient({
      programs,
      language: "go",
      folder,
      output: "corbel",
      properties: ["withGoMod=false"],
      flags: NUMBERS,
    });
    await mendNames(`${folder}/corbel`);
    // Notes the hashes of the packages that the client needs.
    await runTool([program!, "mod", "tidy"], options);
    // It puts patterns into the tags of structs without minding the quotes in them.
    await runTool([program!, "vet", "-structtag=false", "./..."], options);
    assertTried(await runTool([program!, "run", "."], options));
  },
});

/** Else both have 32 bits. */
const NUMBERS = ["--type-mappings", "number=float64,integer=int64"];

/** A list whose elements may be null has a name with `*` in it where there are alternatives to it. */
async function mendNames(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith("model_")) continue;
    const path = `${folder}/${name}`;
    const text = await Deno.readTextFile(path);
    const mended = text.replaceAll(/ArrayOf[\w*]+/g, (found) => found.replaceAll("*", ""));
    if (mended !== text) await Deno.writeTextFile(path, mended);
  }
}
