import { go, java, python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { assertOutput, openBlog } from "./blog.ts";
import { generateClient } from "./openapi_generator.ts";

const program = await require(go);
/** The generator is installed with Python and runs on Java. */
const [pythonProgram, runtime] = [await require(python), await require(java)];

Deno.test({
  name: "OpenAPI Generator makes a Go client of a project that compiles, reads and writes",
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
    // Records the hashes of the packages that the client needs.
    await runTool([program!, "mod", "tidy"], options);
    // The generator does not escape the quotes of patterns in struct tags.
    await runTool([program!, "vet", "-structtag=false", "./..."], options);
    assertOutput(await runTool([program!, "run", "."], options));
  },
});

/** The default types of numbers have 32 bits. */
const NUMBERS = ["--type-mappings", "number=float64,integer=int64"];

/** Fixes the names of lists of nullable alternatives, which the generator writes with a `*`. */
async function mendNames(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith("model_")) continue;
    const path = `${folder}/${name}`;
    const text = await Deno.readTextFile(path);
    const mended = text.replaceAll(/ArrayOf[\w*]+/g, (found) => found.replaceAll("*", ""));
    if (mended !== text) await Deno.writeTextFile(path, mended);
  }
}
