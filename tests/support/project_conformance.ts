import assert from "node:assert/strict";
import { createLru } from "@/lib/lru.ts";
import { getProjectFacts, type ProjectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import type { Services } from "@/lib/services.ts";
import { QueryTooSlow, StoreUnavailable } from "@/lib/store/errors.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import { type Answer, type Call, Declarations, methodOf } from "./conforming_client.ts";

/** Maximum number of cached documents, which many tests share. */
const CACHED_DOCUMENTS_MAX = 50;

/** Replaces the project's id, which is not part of any path that its keys may call. */
const ANY_PROJECT = "000000000000000000000000";

const declarations = createLru<string, Promise<Declarations>>(CACHED_DOCUMENTS_MAX);

/** Returns the declarations of the project's own document for an audience. */
async function declarationsOf(facts: ProjectFacts, kind: KeyKind): Promise<Declarations> {
  const audience = kind === "secret" ? "server" : "client";
  const cachedFacts = { ...facts, projectId: ANY_PROJECT };
  const key = JSON.stringify([audience, cachedFacts]);
  let cached = declarations.get(key);
  if (cached === undefined) {
    cached = projectDocument(cachedFacts, { audience, serverUrl: "/" })
      .then((document) => new Declarations(document as never)); // The type of OpenAPI documents.
    declarations.set(key, cached);
  }
  return await cached;
}

/** Problems that a project's document does not declare. */
const UNDECLARED_PROBLEMS = [
  "SECRET_KEY_REQUIRED",
  "SEARCH_NOT_DECLARED",
  "EVENTS_OFF",
  "INVALID_PATH",
];

/** Matches queries that change the shape of documents, which the declared types do not cover. */
const CHANGES_SHAPE = /[?&](?:fields|meta)=/;

/**
 * Sends a call with a key of a project and fails if the response does not match the project's own
 * document. If the document changes during the call, the response is not checked.
 */
export async function sendConforming(
  services: Services,
  projectId: string,
  { kind, call, send }: {
    readonly kind: KeyKind;
    readonly call: Call;
    send(): Promise<Answer>;
  },
): Promise<Answer> {
  // Responses are the same on each engine, and tests on another engine may corrupt its store on
  // purpose.
  if (services.engine.name !== "sqlite") return await send();
  const before = await factsOf(services, projectId);
  const answer = await send();
  const after = await factsOf(services, projectId);
  if (before === null || JSON.stringify(before) !== JSON.stringify(after)) return answer;
  const document = await declarationsOf(before, kind);
  if (!document.has(methodOf(call), call.path)) {
    assertUndeclaredFails(call, answer);
  } else if (!UNDECLARED_PROBLEMS.includes(answer.body?.code)) {
    document.check(methodOf(call), call.path, answer, {
      looksInside: !CHANGES_SHAPE.test(call.path),
    });
  }
  return answer;
}

/** Returns the facts of a project; null if it is not in use or the store is unavailable. */
async function factsOf(services: Services, projectId: string): Promise<ProjectFacts | null> {
  try {
    return await getProjectFacts(services, projectId);
  } catch (error) {
    if (error instanceof Problem && error.code === "PROJECT_NOT_FOUND") return null;
    if (error instanceof StoreUnavailable || error instanceof QueryTooSlow) return null;
    throw error;
  }
}

/**
 * Matches the paths of projects, without those of members and of the server. The exchange of a
 * sign-in code is excluded because it may follow after its provider was disabled.
 */
const PROJECT_PATHS =
  /^\/api\/(?:data|schemas|userAuth(?!\/social\/exchange)|storage|batch|mail)\b/;

function assertUndeclaredFails({ method, path }: Call, { status, text }: Answer): void {
  if (method === "OPTIONS" || !PROJECT_PATHS.test(path)) return;
  assert.ok(status >= 300, `${path} is not in the project's document, but answered ${text}`);
}
