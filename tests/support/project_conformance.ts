import assert from "node:assert/strict";
import { createLru } from "@/lib/lru.ts";
import { type ProjectFacts, projectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import type { Services } from "@/lib/services.ts";
import { QueryTooSlow, StoreUnavailable } from "@/lib/store/errors.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import { type Answer, type Call, Declarations, methodOf } from "./conforming_client.ts";

/** Of documents, which many tests have alike. */
const KEPT = 50;

/** In place of a project's own id, which stands in no path that its keys are for. */
const ANY_PROJECT = "000000000000000000000000";

const declarations = createLru<string, Promise<Declarations>>(KEPT);

/** What a project's own document says of an audience's calls. */
async function declarationsOf(facts: ProjectFacts, kind: KeyKind): Promise<Declarations> {
  const audience = kind === "secret" ? "server" : "client";
  const alike = { ...facts, projectId: ANY_PROJECT };
  const key = JSON.stringify([audience, alike]);
  let known = declarations.get(key);
  if (known === undefined) {
    known = projectDocument(alike, { audience, serverUrl: "/" })
      .then((document) => new Declarations(document as never)); // As OpenAPI has it.
    declarations.set(key, known);
  }
  return await known;
}

/** Refused for what the document does not show: parameters of others, and paths that are none. */
const UNSHOWN = ["SECRET_KEY_REQUIRED", "SEARCH_NOT_DECLARED", "EVENTS_OFF", "INVALID_PATH"];

/** Types tell of documents as they are without these. */
const PARTS = /[?&](?:fields|meta)=/;

/**
 * Sends a call with a key of a project, and fails where the answer is not as the project's own
 * document says. Where that changes meanwhile, nothing is known.
 */
export async function conforming(
  services: Services,
  projectId: string,
  { kind, call, send }: {
    readonly kind: KeyKind;
    readonly call: Call;
    send(): Promise<Answer>;
  },
): Promise<Answer> {
  // What is answered is the same on each engine; another's store may be spoilt on purpose.
  if (services.engine.name !== "sqlite") return await send();
  const before = await factsOf(services, projectId);
  const answer = await send();
  const after = await factsOf(services, projectId);
  if (before === null || JSON.stringify(before) !== JSON.stringify(after)) return answer;
  const document = await declarationsOf(before, kind);
  if (!document.has(methodOf(call), call.path)) {
    assertNotTheirs(call, answer);
  } else if (!UNSHOWN.includes(answer.body?.code)) {
    document.check(methodOf(call), call.path, answer, { looksInside: !PARTS.test(call.path) });
  }
  return answer;
}

/** Null for a project that is not in use, and where the store cannot be asked. */
async function factsOf(services: Services, projectId: string): Promise<ProjectFacts | null> {
  try {
    return await projectFacts(services, projectId);
  } catch (error) {
    if (error instanceof Problem && error.code === "PROJECT_NOT_FOUND") return null;
    if (error instanceof StoreUnavailable || error instanceof QueryTooSlow) return null;
    throw error;
  }
}

/**
 * Paths that projects have, beside those of members and of the server itself. The code of a sign-in
 * may come when its provider is switched off again.
 */
const OF_PROJECTS = /^\/api\/(?:data|schemas|userAuth(?!\/social\/exchange)|storage|batch|mail)\b/;

function assertNotTheirs({ method, path }: Call, { status, text }: Answer): void {
  if (method === "OPTIONS" || !OF_PROJECTS.test(path)) return;
  assert.ok(status >= 300, `${path} is not in the project's document, but answered ${text}`);
}
