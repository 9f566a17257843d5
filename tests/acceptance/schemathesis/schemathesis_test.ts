/**
 * schemathesis makes requests out of the served document, such that it allows and such that it
 * forbids, and looks at whether the answers are as declared.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { type Caller, type Fixture, LAST, openFixture } from "./fixture.ts";

const program = await require(python);

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Random requests of each operation, beside those that try every limit of it once. */
const CASES = 30;

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

/** Answers that go on until their reader leaves, for which schemathesis would wait. */
const ENDLESS = ["listenToDocuments"];

/** What is tried depends neither on a run before nor on the answers of this one. */
const SETTINGS = `# Who is anonymous stays it.
[auth]
auto-signup = false
[phases.coverage.extra-data-sources]
responses = false
[phases.fuzzing.extra-data-sources]
responses = false
[phases.fuzzing.error-feedback]
enabled = false
# Of itself it takes a 413 for no refusal.
[checks.negative_data_rejection]
expected-statuses = ["4xx"]
`;

/** A cookie cannot be given as a header: it would stand beside those of negative cases. */
const credentialsOf = ({ headers, session }: Caller): string =>
  "[headers]\n" +
  Object.entries(headers).map(([name, value]) => `${name} = "${value}"\n`).join("") +
  (session === undefined ? "" : `[auth.openapi.dashboardSession]\napi_key = "${session}"\n`);

interface Report {
  readonly operations: Record<"total" | "tested" | "errored", number>;
  readonly valid_rates: Record<string, Record<string, { readonly accepted: number }>>;
}

/** Runs it as this caller on the operations that the flags choose. */
async function tryAs(
  caller: Caller,
  { fixture, programs, choice }: {
    fixture: Fixture;
    programs: string;
    choice: readonly string[];
  },
): Promise<Report> {
  const config = `${fixture.folder}/${caller.name}.toml`;
  const hooks = `hooks = ${JSON.stringify(`${HERE}hooks.py`)}\n`;
  await Deno.writeTextFile(config, hooks + SETTINGS + credentialsOf(caller));
  const report = `${fixture.folder}/report.json`;
  const flags = [
    ...["--url", fixture.url, "--checks", CHECKS.join(","), "--max-redirects", "0"],
    ...["--phases", "examples,coverage,fuzzing", "--max-examples", String(CASES), "--seed", "1"],
    ...["--generation-database", "none", "--continue-on-failure", "--no-shrink"],
    // Those who have credentials keep them: who has none tries what is in their place.
    ...[
      "--generation-with-security-parameters",
      String(caller.session === undefined && Object.keys(caller.headers).length === 0),
    ],
    ...["--no-color", "--warnings", "off", "--report", "json", "--report-json-path", report],
    ...choice,
  ];
  await runTool(
    [`${programs}/st`, "--config-file", config, "run", `${fixture.url}/openapi.json`, ...flags],
    { cwd: fixture.folder, env: { CORBEL_STOCK: JSON.stringify(caller.stock) } },
  );
  return JSON.parse(await Deno.readTextFile(report));
}

Deno.test({
  name: "schemathesis finds no answer that the document does not declare, nothing taken that it " +
    "forbids and nothing refused that it allows, whoever asks",
  ignore: program === null,
  async fn(t) {
    await using fixture = await openFixture();
    const programs = await installPython(program!, `${HERE}requirements.txt`, fixture.folder);
    const last = Object.values(LAST).flat();
    for (const caller of fixture.callers) {
      await t.step(caller.name, async () => {
        const leftOut = [...last, ...ENDLESS];
        const choice = leftOut.flatMap((id) => ["--exclude-operation-id", id]);
        const report = await tryAs(caller, { fixture, programs, choice });
        const { total, tested, errored } = report.operations;
        assert.deepEqual([tested, errored], [total - leftOut.length, 0]);
        const taken = Object.entries(report.valid_rates)
          .filter(([, phases]) => Object.values(phases).some(({ accepted }) => accepted > 0))
          .map(([operation]) => operation);
        const refused = caller.mayAtLeast.filter((operation) => !taken.includes(operation));
        assert.deepEqual(refused, [], "operations that took nothing from this caller");
      });
      for (const [what, operations] of Object.entries(LAST)) {
        await t.step(`${caller.name}, until ${what}`, async () => {
          const choice = operations.flatMap((id) => ["--include-operation-id", id]);
          const report = await tryAs(caller, { fixture, programs, choice });
          const { tested, errored } = report.operations;
          assert.deepEqual([tested, errored], [operations.length, 0]);
        });
      }
    }
  },
});
