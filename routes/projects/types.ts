import { LRUCache } from "lru-cache";
import { sha256 } from "@/lib/crypto/hashes.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { KeyedMutex } from "@/lib/keyed_mutex.ts";
import { nextTurn } from "@/lib/next_turn.ts";
import { getProjectFacts, type ProjectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { quoted } from "@/lib/text/input_text.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
import type { PROJECT_TYPES } from "@/openapi/paths/project_types.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import type { Audience } from "@/openapi/project/operations.ts";
import { documentText } from "@/openapi/project/text.ts";
import { projectTypes } from "@/openapi/project/typescript.ts";
import type { ProjectReader } from "@/openapi/security.ts";
import { acceptsEncoding } from "../compression.ts";
import type { HandlerOf, HandlersOf } from "../handler.ts";
import {
  type CompressedFile,
  compressedFile,
  decompressedFile,
  serveFile,
} from "../system/file.ts";

const KEPT_BYTES = 16 * 1_048_576;

/** Compressed files by a hash of their input, so that entries are never stale. */
const files = new LRUCache<string, CompressedFile>({
  maxSize: KEPT_BYTES,
  sizeCalculation: ({ body }) => body.length,
});

/** Generates one file of a project at a time. Waiting requests usually find the cached file. */
const generating = new KeyedMutex();
/** Reads the facts of one project at a time, so that other requests are not delayed. */
const reading = new KeyedMutex();

interface GeneratedKind {
  readonly type: string;
  make(facts: ProjectFacts, options: GenerateOptions): Promise<string>;
}

interface GenerateOptions {
  readonly audience: Audience;
  readonly chosen: readonly string[] | undefined;
  readonly serverUrl: string;
}

const serving =
  (made: GeneratedKind): HandlerOf<(typeof PROJECT_TYPES)[keyof typeof PROJECT_TYPES]> => (c) =>
    serveGenerated(c.var, {
      ...made,
      ...c.req.valid("query"),
      acceptEncoding: c.req.header("accept-encoding") ?? null,
      ifNoneMatch: c.req.valid("header")["if-none-match"],
    });

export const types: HandlersOf<typeof PROJECT_TYPES> = {
  getProjectOpenApi: serving({
    type: "application/json",
    make: async (facts, options) => await documentText(await projectDocument(facts, options)),
  }),

  getProjectTypes: serving({
    type: "application/typescript",
    make: projectTypes,
  }),
};

/** Headers that keep shared caches from storing the file of one project. */
const PRIVATE_HEADERS = [
  ["cache-control", "private, no-cache"],
  ["vary", "Origin, Authorization, x-api-key, Accept-Encoding"],
] as const;

interface GenerateRequest extends GeneratedKind {
  readonly audience?: Audience | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly acceptEncoding: string | null;
  readonly ifNoneMatch: string | null;
}

/** Throws `SECRET_KEY_REQUIRED`, or `INVALID_QUERY` for a collection that does not exist. */
async function serveGenerated(
  { services, principal }: { readonly services: Services; readonly principal: ProjectReader },
  { type, audience: asked, collections: chosen, acceptEncoding, ifNoneMatch, make }:
    GenerateRequest,
): Promise<Reply> {
  const { projectId, isTrusted } = principal;
  const audience = asked ?? (isTrusted ? "server" : "client");
  if (audience === "server" && !isTrusted) throw new Problem("SECRET_KEY_REQUIRED");
  const { publicUrl: serverUrl } = services.config;
  const options = { audience, chosen, serverUrl };
  const { facts, key } = await reading.run(projectId, async () => {
    await nextTurn();
    const facts = await getProjectFacts(services, projectId);
    assertCollectionsExist(facts, chosen);
    return { facts, key: sha256(JSON.stringify([type, options, facts])) };
  });
  const file = files.get(key) ?? await generating.run(projectId, async () => {
    const known = files.get(key);
    if (known !== undefined) return known;
    const made = await compressedFile(type, await make(facts, options));
    files.set(key, made);
    return made;
  });
  const isPacked = acceptsEncoding(acceptEncoding, "gzip");
  const reply = serveFile(isPacked ? file : await decompressedFile(file), ifNoneMatch);
  return { ...reply, headers: [...reply.headers ?? [], ...PRIVATE_HEADERS] };
}

function assertCollectionsExist(
  { definitions }: ProjectFacts,
  chosen: readonly string[] | undefined,
): void {
  const names = definitions.map(({ name }) => name);
  const unknown = chosen?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Problem("INVALID_QUERY", {
    message: `"collections" names no collection of the project: ${quoted(unknown)}.` +
      didYouMean(unknown, names),
  });
}
