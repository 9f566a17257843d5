import { LRUCache } from "lru-cache";
import { sha256 } from "@/lib/crypto/hashes.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { KeyedMutex } from "@/lib/keyed_mutex.ts";
import { nextTurn } from "@/lib/next_turn.ts";
import { type ProjectFacts, projectFacts } from "@/lib/operations/project_facts.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { shown } from "@/lib/text/input_text.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
import type { PROJECT_TYPES } from "@/openapi/paths/project_types.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import type { Audience } from "@/openapi/project/operations.ts";
import { documentText } from "@/openapi/project/text.ts";
import { projectTypes } from "@/openapi/project/typescript.ts";
import type { ProjectReader } from "@/openapi/security.ts";
import { takesEncoding } from "../compression.ts";
import type { HandlerOf, HandlersOf } from "../handler.ts";
import { type PackedFile, packedFile, serveFile, unpackedFile } from "../system/file.ts";

const KEPT_BYTES = 16 * 1_048_576;

/**
 * Files, packed, by a hash of all that they follow from, so that none is ever stale. To make one takes
 * some hundred times as long as to read what it follows from.
 */
const files = new LRUCache<string, PackedFile>({
  maxSize: KEPT_BYTES,
  sizeCalculation: ({ body }) => body.length,
});

/** Of a project one is made at a time: who waits for it mostly asks for the same, and finds it kept. */
const making = new KeyedMutex();
/** Requests for one project read its facts one after the other, with other requests between them. */
const reading = new KeyedMutex();

/** Makes a file of what is known of a project. */
interface Made {
  readonly type: string;
  make(facts: ProjectFacts, options: MakeOptions): Promise<string>;
}

interface MakeOptions {
  readonly audience: Audience;
  readonly chosen: readonly string[] | undefined;
  readonly serverUrl: string;
}

const serving =
  (made: Made): HandlerOf<(typeof PROJECT_TYPES)[keyof typeof PROJECT_TYPES]> => (c) =>
    serveMade(c.var, {
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

/** Unlike other files, these are for one project alone. */
const ONE_CALLERS = [
  ["cache-control", "private, no-cache"],
  ["vary", "Origin, Authorization, x-api-key, Accept-Encoding"],
] as const;

interface Making extends Made {
  readonly audience?: Audience | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly acceptEncoding: string | null;
  readonly ifNoneMatch: string | null;
}

/** Throws `SECRET_KEY_REQUIRED`, and `INVALID_QUERY` for a collection that there is not. */
async function serveMade(
  { services, principal }: { readonly services: Services; readonly principal: ProjectReader },
  { type, audience: asked, collections: chosen, acceptEncoding, ifNoneMatch, make }: Making,
): Promise<Reply> {
  const { projectId, isTrusted } = principal;
  const audience = asked ?? (isTrusted ? "server" : "client");
  if (audience === "server" && !isTrusted) throw new Problem("SECRET_KEY_REQUIRED");
  const { publicUrl: serverUrl } = services.config;
  const options = { audience, chosen, serverUrl };
  const { facts, key } = await reading.run(projectId, async () => {
    await nextTurn();
    const facts = await projectFacts(services, projectId);
    refuseUnknown(facts, chosen);
    return { facts, key: sha256(JSON.stringify([type, options, facts])) };
  });
  const file = files.get(key) ?? await making.run(projectId, async () => {
    const known = files.get(key);
    if (known !== undefined) return known;
    const made = await packedFile(type, await make(facts, options));
    files.set(key, made);
    return made;
  });
  const isPacked = takesEncoding(acceptEncoding, "gzip");
  const reply = serveFile(isPacked ? file : await unpackedFile(file), ifNoneMatch);
  return { ...reply, headers: [...reply.headers ?? [], ...ONE_CALLERS] };
}

function refuseUnknown(
  { definitions }: ProjectFacts,
  chosen: readonly string[] | undefined,
): void {
  const names = definitions.map(({ name }) => name);
  const unknown = chosen?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Problem("INVALID_QUERY", {
    message: `"collections" names no collection of the project: ${shown(unknown)}.` +
      didYouMean(unknown, names),
  });
}
