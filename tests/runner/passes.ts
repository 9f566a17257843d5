/** Assigns test files to engines and stores, for the short run and for the full matrix. */

export interface Pass {
  readonly title: string;
  readonly database: "sqlite" | "mongodb";
  readonly storage: "disk" | "s3";
  readonly files: readonly string[];
}

/** Available servers for the passes on MongoDB and with a bucket. */
export interface Servers {
  readonly mongodb: boolean;
  readonly s3: boolean;
}

/** Matches suites that use engine and store only through Corbel. */
const ENGINE_NEUTRAL = /^tests\/(?:api|pages|property|acceptance|attacks)\/(?!sqlite_)/;

/**
 * Matches tests of pages in a browser, of the document and its clients, of hostile HTTP, and of the
 * cost of parsing a request. They run on one engine, because they do not reach the store, or take
 * minutes with the same result on each.
 */
const ON_ONE_ENGINE =
  /^tests\/(?:acceptance\/(?:dashboard_|generated\/|schemathesis\/|hostile_|reference_|quickstart_|\w+_example_|clients\/browser_)|attacks\/(?:every_request|\w*parsers)_)/;

/** Matches suites with tools of other languages, which take minutes: full matrix only. */
export const ONLY_IN_FULL = /^tests\/acceptance\/(?:generated\/|schemathesis\/|clients\/python_)/;

/** Matches suites about files by their names, which are those of operations and journeys. */
const ABOUT_FILES = /upload|(?<!pro)file|storage|reaper|quota|moving/;
/** Matches attacks that do not depend on the file store. */
const ATTACKS_ON_BOTH = /^resumable_/;
/** Matches suites that test one kind of store, or use a bucket in any run. */
const ABOUT_ONE_STORE = /^(?:put_blob|serve_file(?!_sizes)|disk|s3)_/;

/**
 * Files that the short run also runs on MongoDB. The port's contract suites prove that engines and
 * stores are interchangeable. In addition, suites that depend on details run on each: properties,
 * lists, rules, repeated requests, effects that may happen only once, uploads, and one journey.
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

const onMongodb = (path: string): boolean => ENGINE_NEUTRAL.test(path) && !ON_ONE_ENGINE.test(path);

/** Returns whether a suite can run with a bucket, unlike attacks on one kind of store. */
function inBucket(path: string): boolean {
  const [, folder, name = ""] = path.split("/");
  if (folder === "attacks") return ATTACKS_ON_BOTH.test(name);
  return onMongodb(path) && ABOUT_FILES.test(name) && !ABOUT_ONE_STORE.test(name);
}

/** Returns whether a suite runs on MongoDB with a bucket: only journeys do. */
const onBoth = (path: string): boolean => inBucket(path) && path.startsWith("tests/acceptance/");

/**
 * Returns the passes over these files. The embedded engine runs all files, except that the short
 * run leaves out those of the full matrix. The other passes run the selected files among those that
 * they can run.
 */
export function passesOver(
  files: readonly string[],
  { all, servers }: { all: boolean; servers: Servers },
): Pass[] {
  const take = (runs: (path: string) => boolean, chosen: readonly RegExp[]) =>
    files.filter((path) => runs(path) && (all || chosen.some((pattern) => pattern.test(path))));
  const embedded = files.filter((path) => all || !ONLY_IN_FULL.test(path));
  const passes: Pass[] = [
    { title: "The embedded engine", database: "sqlite", storage: "disk", files: embedded },
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

/** Returns lines that list the files of the full matrix that the short run leaves out. */
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
