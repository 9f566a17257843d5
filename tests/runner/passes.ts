/** Which test files run on which engine and store, in the short run and in the full matrix. */

export interface Pass {
  readonly title: string;
  readonly database: "sqlite" | "mongodb";
  readonly storage: "disk" | "s3";
  readonly files: readonly string[];
}

/** Where the passes beside the embedded one can run. */
export interface Servers {
  readonly mongodb: boolean;
  readonly s3: boolean;
}

/** Suites that see engine and store only from outside. */
const ENGINE_NEUTRAL = /^tests\/(?:api|pages|property|acceptance|attacks)\/(?!sqlite_)/;

/**
 * Tests of pages in a browser, of the document and its clients, of hostile HTTP, and of what reading
 * a request costs: what they prove ends before the store is asked, or takes minutes and is the same
 * on each.
 */
const ONCE =
  /^tests\/(?:acceptance\/(?:dashboard_|generated\/|schemathesis\/|hostile_|reference_|quickstart_|\w+_example_|clients\/browser_)|attacks\/(?:every_request|\w*parsers)_)/;

/** What installs tools of other languages, and takes minutes: only the full matrix has it. */
export const ONLY_IN_FULL = /^tests\/acceptance\/(?:generated\/|schemathesis\/|clients\/python_)/;

/** By what suites are called, which is by operation and journey. */
const ABOUT_FILES = /upload|(?<!pro)file|storage|reaper|quota|moving/;
/** Attacks on what Corbel serves, whichever store files are in. */
const ATTACKS_ON_BOTH = /^resumable_/;
/** What only a folder needs, and what takes a bucket in any run. */
const ABOUT_ONE_STORE = /^(?:put_blob|serve_file(?!_sizes)|disk|s3)_/;

/**
 * What of the matrix every run holds. The port's contract suites prove that engines and stores are
 * interchangeable; beyond them, what leans on their finer points runs on each: properties, listing,
 * rules, repeated requests, what may happen once, uploads, and one journey.
 */
export const CHOSEN_ON_MONGODB: readonly RegExp[] = [
  /^tests\/property\//,
  /^tests\/api\/(?:list_documents|aggregate_documents|populate|listen_to_documents|rls_table|idempotency|preconditions)_/,
  /^tests\/api\/(?:written_unique|create_documents|patch_document|upsert_document|write_batch|update_collection)_/,
  /^tests\/api\/(?:changed_definitions|document_quota|killed_process|ai_caps|sign_in_locks|accept_invitation_at_once)_/,
  /^tests\/api\/(?:refresh_session|shared_\w+)_test/,
  /^tests\/api\/(?:confirm_upload|user_uploads|storage_quota_edge|uploads_interleaved|resume_upload|resumed_uploads_\w+)_/,
  /^tests\/acceptance\/(?:journey|crash_definitions)_test/,
];
export const CHOSEN_IN_BUCKET: readonly RegExp[] = [
  /^tests\/api\/(?:request_upload|confirm_upload|user_uploads|uploads_interleaved)_/,
  /^tests\/api\/(?:get_upload|resume_upload|cancel_upload|delete_file)_/,
  /^tests\/acceptance\/files_/,
];
export const CHOSEN_ON_BOTH: readonly RegExp[] = [/^tests\/acceptance\/files_/];

const onMongodb = (path: string): boolean => ENGINE_NEUTRAL.test(path) && !ONCE.test(path);

/** Not attacks on the addresses of one kind of store. */
function inBucket(path: string): boolean {
  const [, folder, name = ""] = path.split("/");
  if (folder === "attacks") return ATTACKS_ON_BOTH.test(name);
  return onMongodb(path) && ABOUT_FILES.test(name) && !ABOUT_ONE_STORE.test(name);
}

/** Of a journey, every engine meets every store. */
const onBoth = (path: string): boolean => inBucket(path) && path.startsWith("tests/acceptance/");

/**
 * The passes over these files. The embedded engine takes all of them, but for those of the full
 * matrix in the short run; the others then take the chosen ones among those that they can run.
 */
export function passesOver(
  files: readonly string[],
  { all, servers }: { all: boolean; servers: Servers },
): Pass[] {
  const take = (runs: (path: string) => boolean, chosen: readonly RegExp[]) =>
    files.filter((path) => runs(path) && (all || chosen.some((pattern) => pattern.test(path))));
  const own = files.filter((path) => all || !ONLY_IN_FULL.test(path));
  const passes: Pass[] = [
    { title: "The embedded engine", database: "sqlite", storage: "disk", files: own },
  ];
  if (servers.mongodb) {
    const chosen = take(onMongodb, CHOSEN_ON_MONGODB);
    passes.push({ title: "MongoDB", database: "mongodb", storage: "disk", files: chosen });
  }
  if (servers.s3) {
    const chosen = take(inBucket, CHOSEN_IN_BUCKET);
    passes.push({ title: "Files in a bucket", database: "sqlite", storage: "s3", files: chosen });
  }
  if (servers.mongodb && servers.s3) {
    const title = "MongoDB, files in a bucket";
    const chosen = take(onBoth, CHOSEN_ON_BOTH);
    passes.push({ title, database: "mongodb", storage: "s3", files: chosen });
  }
  return passes.filter(({ files }) => files.length > 0);
}

/** What the full matrix has and the short run has not, as lines to print. */
export function leftOutOf(short: readonly Pass[], full: readonly Pass[]): string[] {
  return full.flatMap(({ title, files }) => {
    const run = new Set(short.find((pass) => pass.title === title)?.files);
    const missing = files.filter((path) => !run.has(path));
    if (missing.length === 0) return [];
    const byFolder = Map.groupBy(missing, (path) => path.slice(0, path.lastIndexOf("/")));
    return [
      `Left out of the short run: ${title}: ${missing.length} of ${files.length} files`,
      ...[...byFolder].map(([folder, paths]) =>
        `  ${folder}: ${paths.map((path) => path.slice(folder.length + 1, -TEST_SUFFIX)).join(" ")}`
      ),
    ];
  });
}

const TEST_SUFFIX = "_test.ts".length;
