/** Checks the document with two common linters. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseJson } from "@/lib/store/json_text.ts";
import { tempFolder } from "../contract/sqlite_folder.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../../openapi/openapi.json", import.meta.url));
const REDOCLY = "npm:@redocly/cli@2.77.0";
const SPECTRAL = "npm:@stoplight/spectral-cli@6.16.3";

/** Runs a linter. It is not part of the product, which is why the lock file does not have it. */
async function lint(program: string, args: readonly string[]): Promise<unknown> {
  await using folder = await tempFolder();
  for (const name of ["redocly.yaml", ".redocly.lint-ignore.yaml", "spectral.yaml"]) {
    await Deno.copyFile(`${HERE}${name}`, `${folder.path}/${name}`);
  }
  await Deno.copyFile(DOCUMENT, `${folder.path}/openapi.json`);
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-config", "--allow-all", program, "lint", ...args],
    cwd: folder.path,
    env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off" },
    stdin: "null",
  }).output();
  const [found, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  try {
    return parseJson(found!);
  } catch (cause) {
    throw new Error(`${program} did not run:\n${found}${errors}`, { cause });
  }
}

Deno.test("Redocly reports only findings that are ignored with a reason", async () => {
  const { problems, totals } = await lint(REDOCLY, ["openapi.json", "--format=json"]) as {
    problems: readonly { ruleId: string; location: readonly { pointer: string }[] }[];
    totals: { ignored: number };
  };
  assert.deepEqual(problems.map(({ ruleId, location }) => [ruleId, location[0]?.pointer]), []);
  assert.equal(totals.ignored, 2, "an exception is no longer needed");
});

Deno.test("Spectral reports no findings", async () => {
  const args = ["openapi.json", "--ruleset", "spectral.yaml", "--format", "json", "--quiet"];
  assert.deepEqual(await lint(SPECTRAL, args), []);
});
