/**
 * Tests that each operation that mirrors another one behaves as it: project members get the
 * responses and refusals that the project's servers get with the secret key.
 */
import assert from "node:assert/strict";
import type { ProblemCode } from "@/lib/problems.ts";
import type { App } from "@/routes/app.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { faults } from "../support/server_faults.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { documentScripts } from "./mirrored_documents.ts";
import { fileAndMailScripts } from "./mirrored_files.ts";
import { userScripts } from "./mirrored_users.ts";
import { ok, refused } from "./test_collection.ts";

/** A call of an operation, without its path and credentials. */
export interface MirroredCall {
  readonly id?: string;
  /** `posts` if omitted. */
  readonly collection?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another app over the same services. */
  readonly over?: App;
}

/** The callers of one side: the project's servers (original) or the project's owner (mirror). */
export interface Side {
  readonly app: TestApp;
  readonly project: TestProject;
  ask(asked?: MirroredCall): Promise<Answer>;
  /** Fails unless members of this role may call the mirror and members of lower roles may not. */
  admits(least: "viewer" | "admin", asked?: MirroredCall): Promise<void>;
}

/** Runs all requests of one operation's test against a new project. */
export type Script = (side: Side) => Promise<void>;

const SCRIPTS: Readonly<Record<string, Script>> = {
  ...documentScripts,
  ...userScripts,
  ...fileAndMailScripts,
};

/** Operations for members that mirror an operation for servers. */
const MIRRORS = CONTRACTS.filter(({ mirrors, path }) =>
  mirrors !== undefined && path.startsWith("/api/projects/{projectId}/")
);

/** Codes of the server and of reading any request, which other suites raise for every operation. */
const COMMON_CODES: ReadonlySet<ProblemCode> = new Set([
  "INVALID_PATH",
  "UNSUPPORTED_MEDIA_TYPE",
  "BODY_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "INVALID_JSON",
  "QUERY_TOO_LONG",
  "INTERNAL",
  "STORE_UNAVAILABLE",
  "SERVER_BUSY",
  "STOPPING",
  "HANDLER_TIMEOUT",
]);

/** Codes that are costly to raise. Their own suites cover them for members, too. */
const CODES_TESTED_ELSEWHERE: Readonly<Record<string, readonly ProblemCode[]>> = {
  listProjectDocuments: ["ANSWER_TOO_LARGE"], // answer_sizes_test
  getProjectDocument: ["ANSWER_TOO_LARGE", "QUERY_TOO_SLOW"], // answer_sizes_test, populate
  createProjectDocument: ["TOO_MANY_IDEMPOTENCY_KEYS"], // idempotency_test
  recoverProjectDocument: faults.staysTaken ? ["DUPLICATE_VALUE"] : [],
};

/** `document_quota_test.ts` raises it for every write. */
const QUOTA: ProblemCode = "DOCUMENT_QUOTA_EXCEEDED";

type Contract = (typeof CONTRACTS)[number];

interface Transcript {
  readonly answers: unknown[];
  readonly codes: Set<string>;
  admitted: boolean;
}

const pathOf = ({ path }: Contract, projectId: string, asked: MirroredCall): string =>
  path.replace("{projectId}", projectId).replace("{collectionName}", asked.collection ?? "posts")
    .replace("{id}", asked.id ?? "").replace("{userId}", asked.id ?? "") + (asked.query ?? "");

async function runScript(
  contract: Contract,
  script: Script,
  byMember: boolean,
): Promise<Transcript> {
  await using app = await openTestApp();
  const project = await app.project();
  const { projectId, secretKey } = project;
  const { cookie } = await project.owner();
  const transcript: Transcript = { answers: [], codes: new Set(), admitted: false };
  const normal = normalizer();
  const callOf = (asked: MirroredCall): Call => ({
    method: contract.method.toUpperCase(),
    path: pathOf(contract, projectId, asked),
    ...(asked.body !== undefined && { body: asked.body }),
    headers: { ...asked.headers, ...(byMember ? { cookie } : { "x-api-key": secretKey }) },
  });
  await script({
    app,
    project,
    async ask(asked = {}) {
      const call = callOf(asked);
      const answer = await (asked.over === undefined ? app.send(call) : send(asked.over, call));
      if (answer.status >= 400) transcript.codes.add(answer.body.code);
      const headers = ["etag", "retry-after", "cache-control"]
        .filter((name) => answer.headers.has(name));
      // Storage refusals have extra members here, for clients that rely on them.
      const text = answer.status < 400
        ? answer.text
        : JSON.stringify([answer.body.code, answer.body.message]);
      transcript.answers.push({ status: answer.status, headers, text: normal(text) });
      return answer;
    },
    async admits(least, asked = {}) {
      transcript.admitted = true;
      if (!byMember) return;
      const stranger = await openAccount(app);
      refused(await stranger.send({ ...callOf(asked), headers: {} }), 404, "PROJECT_NOT_FOUND");
      for (const role of ["viewer", "admin"] as const) {
        const member = await openAccount(app);
        await joinProject(app.services, projectId, member.accountId, role);
        const call = { ...callOf(asked), headers: asked.headers ?? {} };
        if (role === "viewer" && least === "admin") {
          refused(await member.send(call), 403, "ROLE_REQUIRED");
        } else {
          const answer = await member.send(call);
          ok(answer, answer.status === 201 ? 201 : 200);
          if (least === "admin") break;
        }
      }
    },
  });
  return transcript;
}

/** Replaces what differs between projects: ids by their order, paths and cursors. */
function normalizer(): (text: string) => string {
  const ids = new Map<string, string>();
  const nameOf = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `<id ${ids.size}>`);
    return ids.get(id)!;
  };
  return (text) =>
    text.replaceAll(/"(url|cursor|nextCursor|prevCursor)":"[^"]*"/g, '"$1":"<text>"')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}/g, nameOf)
      .replaceAll(/"(\w*[mM]s)":[\d.]+/g, '"$1":0');
}

Deno.test("every operation that mirrors another has a script", () => {
  const names = MIRRORS.map(({ operationId }) => operationId);
  assert.deepEqual(Object.keys(SCRIPTS).toSorted(), names.toSorted());
});

for (const mirror of MIRRORS) {
  const { operationId, codes, security } = mirror;
  const original = CONTRACTS.find((one) => one.operationId === mirror.mirrors!.operationId)!;
  const name = `${operationId} answers and refuses as ${original.operationId} does`;
  Deno.test(name, async () => {
    const script = SCRIPTS[operationId]!;
    const byServer = await runScript(original, script, false);
    const byMember = await runScript(mirror, script, true);
    assert.deepEqual(byMember.answers, byServer.answers);
    assert.ok(byMember.admitted, "the script does not check roles");
    const missing = codes.filter((code) =>
      !COMMON_CODES.has(code) && !security.problems.includes(code) && code !== QUOTA &&
      !(CODES_TESTED_ELSEWHERE[operationId] ?? []).includes(code) && !byMember.codes.has(code)
    );
    assert.deepEqual(missing, [], "codes that the script does not raise");
  });
}
