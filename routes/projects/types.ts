import { LRUCache } from "lru-cache";
import { sha256 } from "@/lib/crypto/hashes.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { type ProjectFacts, projectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type * as types from "@/openapi/paths/project_types.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import type { Audience } from "@/openapi/project/operations.ts";
import { projectTypes } from "@/openapi/project/typescript.ts";
import type { ProjectReader } from "@/openapi/security.ts";
import { takesEncoding } from "../compression.ts";
import type { HandlerOf } from "../handler.ts";
import { serveFile, type StaticFile, textFile } from "../system/file.ts";

const KEPT_BYTES = 16 * 1_048_576;

/**
 * Files by a hash of all that they follow from, so that none is ever stale. To make one takes some
 * hundred times as long as to read what it follows from.
 */
const files = new LRUCache<string, StaticFile>({
  maxSize: KEPT_BYTES,
  sizeCalculation: ({ body }) => body.length,
});

/** Makes a file of what is known of a project. */
interface Made {
  readonly type: string;
  make(facts: ProjectFacts, audience: Audience, services: Services): string;
}

const serving =
  (made: Made): HandlerOf<typeof types.getProjectOpenApi | typeof types.getProjectTypes> => (c) =>
    serveMade(c.var, {
      ...made,
      audience: c.req.valid("query").audience,
      acceptEncoding: c.req.header("accept-encoding") ?? null,
      ifNoneMatch: c.req.valid("header")["if-none-match"],
    });

export const handleGetProjectOpenApi = serving({
  type: "application/json",
  make: (facts, audience, { config: { publicUrl: serverUrl } }) =>
    JSON.stringify(projectDocument(facts, { audience, serverUrl })),
});

export const handleGetProjectTypes = serving({
  type: "application/typescript",
  make: projectTypes,
});

/** Unlike other files, these are for one project alone. */
const ONE_CALLERS = [
  ["cache-control", "private, no-cache"],
  ["vary", "Origin, Authorization, x-api-key, Accept-Encoding"],
] as const;

interface Making extends Made {
  readonly audience: Audience | undefined;
  readonly acceptEncoding: string | null;
  readonly ifNoneMatch: string | null;
}

/** Throws `SECRET_KEY_REQUIRED`. */
async function serveMade(
  { services, principal }: { readonly services: Services; readonly principal: ProjectReader },
  { type, audience: asked, acceptEncoding, ifNoneMatch, make }: Making,
): Promise<Reply> {
  const { projectId, isTrusted } = principal;
  const audience = asked ?? (isTrusted ? "server" : "client");
  if (audience === "server" && !isTrusted) throw new Problem("SECRET_KEY_REQUIRED");
  const facts = await projectFacts(services, projectId);
  const isPacked = takesEncoding(acceptEncoding, "gzip");
  const { publicUrl } = services.config;
  const key = sha256(JSON.stringify([type, audience, isPacked, publicUrl, facts]));
  let file = files.get(key);
  if (file === undefined) {
    files.set(key, file = await textFile(type, make(facts, audience, services), isPacked));
  }
  const reply = serveFile(file, ifNoneMatch);
  return { ...reply, headers: [...reply.headers ?? [], ...ONE_CALLERS] };
}
