/**
 * schemathesis makes requests out of the served document, such that it allows and such that it
 * forbids, and looks at whether the answers are as declared.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { type Caller, ENDING, openWorld, type World } from "./world.ts";

const program = await require(python);

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Random requests of each operation, beside those that try every limit of it once. */
const CASES = 25;

/**
 * Left out: `unsupported_method`, since `/api/data/{collectionName}/bulk` is also the path of a
 * document; `ignored_auth`, since most answers to keys are refusals for other reasons, and the
 * suites of credentials ask every operation; checks of what hangs together, which need requests that
 * build on answers. `allowed_data_is_taken` is ours.
 */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "missing_required_header",
  "allow_header_conformance",
  "allowed_data_is_taken",
];

/** What must not depend on a run before, nor on the answers of this one. */
const SETTINGS =
  ["coverage", "fuzzing"].map((phase) =>
    `[phases.${phase}.extra-data-sources]\nresponses = false\n`
  ).join("") + "[phases.fuzzing.error-feedback]\nenabled = false\n";

const credentialsOf = ({ credentials }: Caller): string =>
  Object.entries(credentials)
    .map(([scheme, [member, value]]) => `[auth.openapi.${scheme}]\n${member} = "${value}"\n`)
    .join("");

interface Report {
  readonly exit_code: number;
  readonly operations: Record<"total" | "selected" | "tested" | "errored", number>;
  readonly test_cases: { readonly generated: number };
  readonly valid_rates: Record<string, Record<string, { readonly accepted: number }>>;
}

/** Runs it as this caller on the operations that the flags choose. */
async function tryAs(
  caller: Caller,
  { world, programs, choice }: {
    world: World;
    programs: string;
    choice: readonly string[];
  },
): Promise<Report> {
  const config = `${world.folder}/${caller.name}.toml`;
  const hooks = `hooks = ${JSON.stringify(`${HERE}hooks.py`)}\n`;
  await Deno.writeTextFile(config, hooks + SETTINGS + credentialsOf(caller));
  const report = `${world.folder}/report.json`;
  const flags = [
    ...["--url", world.url, "--checks", CHECKS.join(","), "--max-redirects", "0"],
    ...["--phases", "examples,coverage,fuzzing", "--max-examples", String(CASES), "--seed", "1"],
    ...["--generation-database", "none", "--continue-on-failure", "--no-shrink"],
    // Those who have credentials keep them: who has none tries what is in their place.
    ...[
      "--generation-with-security-parameters",
      String(Object.keys(caller.credentials).length === 0),
    ],
    ...["--no-color", "--warnings", "off", "--report", "json", "--report-json-path", report],
    ...choice,
  ];
  await runTool(
    [`${programs}/st`, "--config-file", config, "run", `${world.url}/openapi.json`, ...flags],
    { cwd: world.folder, env: { CORBEL_STOCK: JSON.stringify(caller.stock) } },
  );
  return JSON.parse(await Deno.readTextFile(report));
}

Deno.test({
  name: "schemathesis finds no answer that the document does not declare, nothing taken that it " +
    "forbids and nothing refused that it allows, whoever asks",
  ignore: program === null,
  async fn(t) {
    await using world = await openWorld();
    const programs = await installPython(program!, `${HERE}requirements.txt`, world.folder);
    for (const caller of world.callers) {
      await t.step(caller.name, async () => {
        const report = await tryAs(caller, {
          world,
          programs,
          choice: ENDING.flatMap((id) => ["--exclude-operation-id", id]),
        });
        const { total, tested, errored } = report.operations;
        assert.deepEqual([tested, errored], [total - ENDING.length, 0]);
        const taken = Object.entries(report.valid_rates)
          .filter(([, phases]) => Object.values(phases).some(({ accepted }) => accepted > 0))
          .map(([operation]) => operation);
        const refused = caller.mayAtLeast.filter((operation) => !taken.includes(operation));
        assert.deepEqual(refused, [], "operations of this caller's that took nothing");
      });
      await t.step(`${caller.name}, whose session ends`, async () => {
        const choice = ENDING.flatMap((id) => ["--include-operation-id", id]);
        const { operations } = await tryAs(caller, { world, programs, choice });
        assert.deepEqual([operations.tested, operations.errored], [ENDING.length, 0]);
      });
    }
  },
});
