/**
 * Runs schemathesis, which generates valid and invalid requests from the served document and
 * compares the responses with it.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { type Caller, type Fixture, LAST, openFixture } from "./fixture.ts";

const program = await require(python);

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Number of random requests per operation, after those that try each of its limits. */
const CASES = 30;

/**
 * Excludes `unsupported_method`, because `/api/data/{collectionName}/bulk` is also the path of a
 * document, `ignored_auth`, because most refusals of keys have other reasons and the credential
 * suites cover every operation, and stateful checks, which need requests that build on responses.
 * `allowed_data_is_taken` is defined in hooks.py.
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

/** Endless responses, for which schemathesis would wait. */
const ENDLESS = ["listenToDocuments"];

/** Makes requests independent of earlier runs and of responses. */
const SETTINGS = `# Anonymous callers stay anonymous.
[auth]
auto-signup = false
[phases.coverage.extra-data-sources]
responses = false
[phases.fuzzing.extra-data-sources]
responses = false
[phases.fuzzing.error-feedback]
enabled = false
# By default a 413 does not count as a refusal.
[checks.negative_data_rejection]
expected-statuses = ["4xx"]
`;

/** Sets the session through `auth`, because a cookie header would be added to negative cases. */
const credentialsOf = ({ headers, session }: Caller): string =>
  "[headers]\n" +
  Object.entries(headers).map(([name, value]) => `${name} = "${value}"\n`).join("") +
  (session === undefined ? "" : `[auth.openapi.dashboardSession]\napi_key = "${session}"\n`);

interface Report {
  readonly operations: Record<"total" | "tested" | "errored", number>;
  readonly valid_rates: Record<string, Record<string, { readonly accepted: number }>>;
}

/** Runs schemathesis with this caller's credentials on the operations that the flags choose. */
async function runAs(
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
    // Only a caller without credentials tries other values in their place.
    ...[
      "--generation-with-security-parameters",
      String(caller.session === undefined && Object.keys(caller.headers).length === 0),
    ],
    ...["--no-color", "--warnings", "off", "--report", "json", "--report-json-path", report],
    ...choice,
  ];
  await runTool(
    [`${programs}/st`, "--config-file", config, "run", `${fixture.url}/openapi.json`, ...flags],
    { cwd: fixture.folder, env: { CORBEL_STOCK: JSON.stringify(caller.pathValues) } },
  );
  return JSON.parse(await Deno.readTextFile(report));
}

Deno.test({
  name: "schemathesis finds that responses, accepted and refused requests match the document",
  ignore: program === null,
  async fn(t) {
    await using fixture = await openFixture();
    const programs = await installPython(program!, `${HERE}requirements.txt`, fixture.folder);
    const last = Object.values(LAST).flat();
    for (const caller of fixture.callers) {
      await t.step(caller.name, async () => {
        const leftOut = [...last, ...ENDLESS];
        const choice = leftOut.flatMap((id) => ["--exclude-operation-id", id]);
        const report = await runAs(caller, { fixture, programs, choice });
        const { total, tested, errored } = report.operations;
        assert.deepEqual([tested, errored], [total - leftOut.length, 0]);
        const taken = Object.entries(report.valid_rates)
          .filter(([, phases]) => Object.values(phases).some(({ accepted }) => accepted > 0))
          .map(([operation]) => operation);
        const refused = caller.mustAccept.filter((operation) => !taken.includes(operation));
        assert.deepEqual(refused, [], "operations that accepted no request of this caller");
      });
      for (const [what, operations] of Object.entries(LAST)) {
        await t.step(`${caller.name}, until ${what}`, async () => {
          const choice = operations.flatMap((id) => ["--include-operation-id", id]);
          const report = await runAs(caller, { fixture, programs, choice });
          const { tested, errored } = report.operations;
          assert.deepEqual([tested, errored], [operations.length, 0]);
        });
      }
    }
  },
});
