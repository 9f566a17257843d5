/**
 * Proves of every operation that mirrors another one what the contract says: a project's members are
 * answered as its servers are with the secret key, and refused for the same reasons.
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

/** A call of an operation, without its address and credentials. */
export interface Asked {
  readonly id?: string;
  /** `posts` if left out. */
  readonly collection?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another app over the same services. */
  readonly over?: App;
}

/** The callers of one side: the project's servers at the original, or its owner at the mirror. */
export interface Side {
  readonly app: TestApp;
  readonly project: TestProject;
  ask(asked?: Asked): Promise<Answer>;
  /** Fails unless members of this role may call the mirror, and those below it may not. */
  admits(least: "viewer" | "admin", asked?: Asked): Promise<void>;
}

/** Asks one operation for all that its tests want, of a project that is new. */
export type Script = (side: Side) => Promise<void>;

const SCRIPTS: Readonly<Record<string, Script>> = {
  ...documentScripts,
  ...userScripts,
  ...fileAndMailScripts,
};

/** Operations of members that mirror one of servers. */
const MIRRORS = CONTRACTS.filter(({ mirrors, path }) =>
  mirrors !== undefined && path.startsWith("/api/projects/{projectId}/")
);

/** Codes of reading any request, and of the server: they are raised for every operation elsewhere. */
const OF_ALL: ReadonlySet<ProblemCode> = new Set([
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

/** Codes that take so much to raise that suites of their own do so for members, too. */
const ELSEWHERE: Readonly<Record<string, readonly ProblemCode[]>> = {
  listProjectDocuments: ["ANSWER_TOO_LARGE"], // answer_sizes_test
  getProjectDocument: ["ANSWER_TOO_LARGE", "QUERY_TOO_SLOW"], // answer_sizes_test, populate
  createProjectDocument: ["TOO_MANY_IDEMPOTENCY_KEYS"], // idempotency_test
  recoverProjectDocument: faults.staysTaken ? ["DUPLICATE_VALUE"] : [],
};

/** document_quota_test raises it for every write. */
const QUOTA: ProblemCode = "DOCUMENT_QUOTA_EXCEEDED";

type Contract = (typeof CONTRACTS)[number];

interface Transcript {
  readonly answers: unknown[];
  readonly codes: Set<string>;
  admitted: boolean;
}

const filled = ({ path }: Contract, projectId: string, asked: Asked): string =>
  path.replace("{projectId}", projectId).replace("{collectionName}", asked.collection ?? "posts")
    .replace("{id}", asked.id ?? "").replace("{userId}", asked.id ?? "") + (asked.query ?? "");

async function play(contract: Contract, script: Script, byMember: boolean): Promise<Transcript> {
  await using app = await openTestApp();
  const project = await app.project();
  const { projectId, secretKey } = project;
  const { cookie } = await project.owner();
  const transcript: Transcript = { answers: [], codes: new Set(), admitted: false };
  const normal = normalizer();
  const callOf = (asked: Asked): Call => ({
    method: contract.method.toUpperCase(),
    path: filled(contract, projectId, asked),
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
      // Refusals of the storage have other members for the sake of clients that know them so.
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

/** Replaces what is different in every project: ids by their order, addresses and cursors. */
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
    const byServer = await play(original, script, false);
    const byMember = await play(mirror, script, true);
    assert.deepEqual(byMember.answers, byServer.answers);
    assert.ok(byMember.admitted, "the script does not look at roles");
    const missing = codes.filter((code) =>
      !OF_ALL.has(code) && !security.problems.includes(code) && code !== QUOTA &&
      !(ELSEWHERE[operationId] ?? []).includes(code) && !byMember.codes.has(code)
    );
    assert.deepEqual(missing, [], "codes that the script does not raise");
  });
}
