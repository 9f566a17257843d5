import { createKnownDevices, type KnownDevices } from "./accounts/known_devices.ts";
import { SEND_ACCOUNT_CODE } from "./accounts/send_code.ts";
import { openGroqModel } from "./ai/groq/model.ts";
import type { Model } from "./ai/model.ts";
import { createPasswordQueue, type PasswordQueue } from "./credentials/password_queue.ts";
import { createPasswords, type Passwords } from "./credentials/passwords.ts";
import { type AccessTokens, createAccessTokens } from "./auth/access_tokens.ts";
import { createKeyNotes, type KeyNotes } from "./projects/key_notes.ts";
import { createKeyDirectory, type KeyDirectory } from "./projects/api_keys.ts";
import { createSessionDirectory, type SessionDirectory } from "./auth/sessions.ts";
import { createSigningKeys, type SigningKeys } from "./projects/signing_keys.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config, MongoDatabase, SqliteDatabase } from "./runtime/config.ts";
import { KeyRing } from "./crypto/key_ring.ts";
import { openKeyRingFile } from "./runtime/key_ring_file.ts";
import { readKnownKeys, registerKeys } from "./runtime/known_keys.ts";
import { unusedStoreError } from "./runtime/unused_store.ts";
import { type Catalog, createCatalog } from "./documents/catalog.ts";
import { COLLECTION_REMOVAL } from "./documents/collection_removals.ts";
import { UNREFERENCED_FILE_REMOVAL } from "./documents/file_references.ts";
import { createCursors, type Cursors } from "./paging/cursor.ts";
import { createSlowQuestions, type SlowQuestions } from "./documents/slow_questions.ts";
import { ChangeFeeds } from "./events/change_feeds.ts";
import { LiveLists } from "./events/live/live_lists.ts";
import { createLivePositions, type LivePositions } from "./events/live/positions.ts";
import { DELIVER } from "./events/webhooks/deliver.ts";
import { DISPATCH_CHANGES } from "./events/webhooks/dispatch.ts";
import { NOTIFY_WEBHOOK_OWNER } from "./events/webhooks/notify_owner.ts";
import { WebhookDispatcher } from "./events/webhooks/dispatcher.ts";
import { createEgress, type Egress, isPublic } from "./http/egress.ts";
import type { Blobs } from "./files/blobs.ts";
import { DiskBlobs } from "./files/disk/blobs.ts";
import {
  createBlobStores,
  createExternalStores,
  type OpenedStorage,
} from "./files/external_stores.ts";
import type { LocalFiles } from "./files/local_files.ts";
import { OBJECT_REMOVAL } from "./files/removals.ts";
import { createPictures, type Pictures } from "./files/pictures.ts";
import { createServedFiles, type ServedFiles } from "./files/served_files.ts";
import type { BlobStores } from "./files/stores.ts";
import { createReadSignatures, type ReadSignatures } from "./files/read_signatures.ts";
import { createUploadTokens, type UploadTokens } from "./files/upload_tokens.ts";
import { type ByteBudget, createByteBudget } from "./http/byte_budget.ts";
import {
  type ConnectionShortage,
  createConnectionShortage,
} from "./runtime/connection_shortage.ts";
import { type Cookies, createCookies } from "./http/cookies.ts";
import { createDeadlines, type Deadlines } from "./http/deadline.ts";
import { createRequestDrain, type RequestDrain } from "./http/request_drain.ts";
import { createResponseStreams, type ResponseStreams } from "./http/response_streams.ts";
import type { Log } from "./runtime/log.ts";
import { createRateLimiter, type RateLimiter, type SharedCounts } from "./http/rate_limit.ts";
import { createRequestShares, type RequestShares } from "./http/request_shares.ts";
import { createStoredCounts } from "./http/stored_counts.ts";
import { createSummedCounts } from "./http/summed_counts.ts";
import { type NewId, objectIds } from "./ids.ts";
import { importLate } from "./import_late.ts";
import { JobRunner } from "./jobs/runner.ts";
import { KeyedMutex } from "./keyed_mutex.ts";
import {
  AI_TIMEOUT_MS,
  ANSWER_BYTES_MAX,
  ANSWERS_BYTES_MAX,
  ANSWERS_SHARE_BYTES_MAX,
  BODIES_BYTES_MAX,
  BODIES_SHARE_BYTES_MAX,
  DASHBOARD_SIGN_IN_RATE_PER_MINUTE,
  REQUEST_TIMEOUT_MS,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_SHARE_MAX,
  SIGN_IN_RATE_PER_MINUTE,
} from "./limits.ts";
import { NOTIFY_OWNER } from "./mail/notify_owner.ts";
import { SEND_MAIL } from "./mail/send_mail.ts";
import { createMailTransports, type MailTransports } from "./mail/transports.ts";
import { createPlans, type Plans } from "./projects/plans.ts";
import { type ProjectRecord, PROJECTS } from "./projects/records.ts";
import { createRequestCounts, type RequestCounts } from "./projects/request_counts.ts";
import { createRequestLog, type RequestLog } from "./projects/request_log.ts";
import { SEND_CODE } from "./users/send_code.ts";
import { createUserFields, type UserFields } from "./users/user_fields.ts";
import { type Browsers, createBrowsers } from "./social/browser.ts";
import { createProviders, type Providers } from "./social/providers.ts";
import { ALL } from "./store/filter.ts";
import type { Engine } from "./store/port.ts";
import { SqliteEngine } from "./store/sqlite/engine.ts";
import { hasStore } from "./store/sqlite/folder.ts";

/** The dependencies of all verbs, each of which takes the few that it needs. */
export interface Services extends AsyncDisposable {
  readonly config: Config;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly engine: Engine;
  readonly keyRing: KeyRing;
  readonly keys: KeyDirectory;
  readonly signingKeys: SigningKeys;
  readonly sessions: SessionDirectory;
  readonly tokens: AccessTokens;
  readonly userFields: UserFields;
  /** Keys for hashing codes, newest first. */
  readonly codeKeys: readonly string[];
  readonly mailTransports: MailTransports;
  /** Runs work that follows from requests, such as mails and messages to webhooks. */
  readonly jobRunner: JobRunner<Services>;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly catalog: Catalog;
  readonly plans: Plans;
  readonly requestCounts: RequestCounts;
  readonly requestLog: RequestLog;
  readonly keyNotes: KeyNotes;
  readonly cursors: Cursors;
  readonly slowQuestions: SlowQuestions;
  readonly changeFeeds: ChangeFeeds;
  readonly livePositions: LivePositions;
  /** Keys for signing tickets, newest first. */
  readonly liveTicketKeys: readonly string[];
  readonly liveLists: LiveLists;
  readonly cookies: Cookies;
  readonly providers: Providers;
  readonly browsers: Browsers;
  readonly egress: Egress;
  /** An egress guard without a limit of connections per host. */
  readonly webhookEgress: Egress;
  readonly blobStores: BlobStores;
  /** Null if clients upload to and download from the store directly. */
  readonly localFiles: LocalFiles | null;
  readonly uploadTokens: UploadTokens;
  readonly readSignatures: ReadSignatures;
  readonly servedFiles: ServedFiles;
  readonly pictures: Pictures;
  readonly model: Model;
  readonly rateLimiter: RateLimiter;
  /** Exact counts of all processes. */
  readonly storedCounts: SharedCounts;
  /** Counts of all threads of this process. */
  readonly threadCounts: SharedCounts;
  /** Limits sign-ins and refreshes, in addition to `rateLimiter`. */
  readonly signInLimiter: RateLimiter;
  /** Limits operations that could reveal whether an account exists or what its password is. */
  readonly dashboardLimiter: RateLimiter;
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
  /** Serializes the password tries of one source. */
  readonly passwordMutex: KeyedMutex;
  readonly knownDevices: KnownDevices;
  readonly deadlines: Deadlines;
  readonly bodyBudget: ByteBudget;
  readonly responseStreams: ResponseStreams;
  readonly requestShares: RequestShares;
  readonly requestDrain: RequestDrain;
  readonly connectionShortage: ConnectionShortage;
}

/** Smallest budget of a thread in bytes. Documents of `ANSWER_BYTES_MAX` in an envelope fit. */
const LARGEST_ANSWER_BYTES = 2 * ANSWER_BYTES_MAX;

const JOB_KINDS = [
  SEND_MAIL,
  SEND_CODE,
  SEND_ACCOUNT_CODE,
  NOTIFY_OWNER,
  OBJECT_REMOVAL,
  UNREFERENCED_FILE_REMOVAL,
  COLLECTION_REMOVAL,
  DISPATCH_CHANGES,
  DELIVER,
  NOTIFY_WEBHOOK_OWNER,
];

/** Services that tests and worker threads replace. */
export interface ServiceOverrides {
  readonly log: Log;
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Counts that are added up by another thread of this process. */
  readonly threadCounts?: SharedCounts;
  /** Replaces the engine of the configuration. It is disposed of with the services. */
  readonly engine?: Engine;
  /** The option of `SqliteOptions`. */
  readonly scansAhead?: boolean;
  /** Whether an unused store is refused, without creating its folder. */
  readonly refusesUnused?: boolean;
}

/** Disposing closes the store. Throws `ConfigError` for an unused one if `refusesUnused` is set. */
export async function openServices(
  config: Config,
  overrides: ServiceOverrides,
): Promise<Services> {
  const { database, publicUrl } = config;
  const { log, clock = systemClock } = overrides;
  const { newId = objectIds(clock), refusesUnused = false } = overrides;
  // Checked before the engine opens the folder, which creates it.
  if (refusesUnused && database.kind === "sqlite" && !await hasStore(database.folder)) {
    throw unusedStoreError(config);
  }
  const engine = overrides.engine ?? await openEngine(config, overrides);
  try {
    if (refusesUnused && await hasNoSealedValues(engine)) throw unusedStoreError(config);
    const keyRing = await KeyRing.parse(
      config.secretKeys?.reveal() ??
        await openKeyRingFile(folderOf(database), log, () => hasNoSealedValues(engine)),
    );
    await registerKeys({ engine, clock, newId: objectIds(clock) }, keyRing);
    const sessions = createSessionDirectory(engine, clock);
    const signingKeys = createSigningKeys({ engine, keyRing, newId, clock });
    const storedCounts = createStoredCounts(engine);
    const threadCounts = overrides.threadCounts ?? createSummedCounts();
    const ofThreads = config.workers > 1 ? threadCounts : undefined;
    const shared = database.kind === "mongodb" ? storedCounts : ofThreads;
    const rateLimiter = createRateLimiter(config.ratePerMinute, clock, shared);
    const signInRate = config.ratePerMinute === null ? null : SIGN_IN_RATE_PER_MINUTE;
    const signInLimiter = createRateLimiter(signInRate, clock, shared);
    const dashboardRate = config.ratePerMinute === null ? null : DASHBOARD_SIGN_IN_RATE_PER_MINUTE;
    const dashboardLimiter = createRateLimiter(dashboardRate, clock, shared);
    // Counts are stored by timers. Their own ids keep other ids in the order of the requests.
    const countIds = objectIds(clock);
    const requestCounts = createRequestCounts({ engine, clock, newId: countIds, log });
    const requestLog = createRequestLog({ engine, clock, newId: countIds, log });
    const keyNotes = createKeyNotes({ engine, clock, log });
    const slowQuestions = createSlowQuestions({ engine, clock, newId: countIds, log });
    const cookies = createCookies(publicUrl);
    const uploadTokens = createUploadTokens(keyRing.derive("upload tokens"));
    const readSignatures = createReadSignatures(keyRing.derive("addresses of files"), clock);
    const signers = { uploadTokens, readSignatures };
    const { blobs, localFiles } = await openStorage(config, signers, clock);
    const admits = config.allowPrivateEndpoints ? () => true : isPublic;
    const egress = createEgress({ admits });
    // Without a limit per host, at which webhooks that hang would take the sockets of others.
    const webhookEgress = createEgress({ admits, socketsMax: Infinity });
    const open = (storage: OpenedStorage) => openExternal(storage, { egress, publicUrl, clock });
    const external = createExternalStores({ engine, keyRing, open });
    const { filesUrl } = config;
    const blobStores = createBlobStores(blobs, external, { filesUrl, publicUrl, ...signers });
    const plans = createPlans(engine, clock, config.plans);
    const deadlines = createDeadlines(REQUEST_TIMEOUT_MS, () => clock.elapsed());
    const answerBudget = createByteBudget({
      bytesMax: Math.max(LARGEST_ANSWER_BYTES, ANSWERS_BYTES_MAX / config.workers),
      shareBytesMax: Math.max(LARGEST_ANSWER_BYTES, ANSWERS_SHARE_BYTES_MAX / config.workers),
    });
    const responseStreams = createResponseStreams(answerBudget, () => clock.elapsed());
    const changeFeeds = new ChangeFeeds({ engine, log });
    const liveLists = new LiveLists(() => services);
    const jobRunner = new JobRunner<Services>({ engine, clock, log }, {
      kinds: JOB_KINDS,
      servicesOf: () => services,
    });
    const webhookDispatcher = new WebhookDispatcher(clock, () => services);
    engine.changes.onRecorded((space) => {
      if (space !== "control") webhookDispatcher.schedule(space);
    });
    const services: Services = {
      config,
      clock,
      newId,
      log,
      engine,
      keyRing,
      keys: createKeyDirectory(engine, clock),
      signingKeys,
      sessions,
      tokens: createAccessTokens({ clock, publicUrl, signingKeys, sessions }),
      userFields: createUserFields(engine, clock),
      codeKeys: keyRing.derive("codes"),
      mailTransports: createMailTransports(config, egress),
      jobRunner,
      webhookDispatcher,
      catalog: createCatalog(engine, clock),
      cursors: createCursors(keyRing.derive("cursors")),
      plans,
      requestCounts,
      requestLog,
      keyNotes,
      slowQuestions,
      changeFeeds,
      livePositions: createLivePositions(keyRing.derive("live positions")),
      liveTicketKeys: keyRing.derive("live tickets"),
      liveLists,
      cookies,
      providers: createProviders(config, clock, keyRing.derive("codes of chosen users")),
      browsers: createBrowsers(cookies, keyRing.derive("sign-in cookies")),
      egress,
      webhookEgress,
      blobStores,
      localFiles,
      uploadTokens,
      readSignatures,
      servedFiles: createServedFiles(engine, clock, blobs, config),
      pictures: createPictures({ engine, clock, newId, blobStores, plans }, config.workers),
      model: openModel(config),
      rateLimiter,
      storedCounts,
      threadCounts,
      signInLimiter,
      dashboardLimiter,
      passwords: createPasswords(hashConcurrency(config)),
      passwordQueue: createPasswordQueue(),
      passwordMutex: new KeyedMutex(),
      knownDevices: createKnownDevices(cookies, keyRing.derive("known devices")),
      deadlines,
      bodyBudget: createByteBudget({
        bytesMax: BODIES_BYTES_MAX / config.workers,
        shareBytesMax: BODIES_SHARE_BYTES_MAX / config.workers,
      }),
      responseStreams,
      requestShares: createRequestShares({
        max: REQUESTS_AT_ONCE_MAX / config.workers,
        shareMax: REQUESTS_SHARE_MAX / config.workers,
      }),
      requestDrain: createRequestDrain(),
      connectionShortage: createConnectionShortage({ clock, log }),
      async [Symbol.asyncDispose]() {
        deadlines[Symbol.dispose]();
        responseStreams[Symbol.dispose]();
        liveLists[Symbol.dispose]();
        changeFeeds[Symbol.dispose]();
        await webhookDispatcher[Symbol.asyncDispose]();
        await jobRunner[Symbol.asyncDispose]();
        await requestCounts[Symbol.asyncDispose]();
        await requestLog[Symbol.asyncDispose]();
        await keyNotes[Symbol.asyncDispose]();
        await slowQuestions[Symbol.asyncDispose]();
        await rateLimiter[Symbol.asyncDispose]();
        await signInLimiter[Symbol.asyncDispose]();
        await dashboardLimiter[Symbol.asyncDispose]();
        await blobStores[Symbol.asyncDispose]();
        egress[Symbol.dispose]();
        webhookEgress[Symbol.dispose]();
        await engine[Symbol.asyncDispose]();
        log.flush();
      },
    };
    return services;
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether no values are sealed yet. Each project has a sealed key, even in earlier versions. */
const hasNoSealedValues = async (engine: Engine): Promise<boolean> =>
  (await readKnownKeys(engine)).length === 0 &&
  await engine.records<ProjectRecord>("control", PROJECTS).findOne(ALL) === null;

/** Returns how many passwords a thread hashes at once: its cores, less one for requests. */
const hashConcurrency = ({ workers }: Config): number =>
  Math.max(1, Math.floor(navigator.hardwareConcurrency / workers) - 1);

// The drivers of MongoDB and S3 are loaded only if they are used.
const loadMongodb = () =>
  importLate<typeof import("./store/mongo/engine.ts")>(
    import.meta.resolve("./store/mongo/engine.ts"),
  );
const loadS3 = () =>
  importLate<typeof import("./files/s3/blobs.ts")>(import.meta.resolve("./files/s3/blobs.ts"));

async function openEngine(
  { database, queryTimeLimitMs }: Config,
  { scansAhead = false }: ServiceOverrides,
): Promise<Engine> {
  if (database.kind === "sqlite") {
    return await SqliteEngine.open({ ...database, queryTimeLimitMs, scansAhead });
  }
  const { MongoEngine } = await loadMongodb();
  const { url, prefix } = database;
  return await MongoEngine.open({ url: url.reveal(), prefix, queryTimeLimitMs });
}

/** Opens the file store. `localFiles` is null for a bucket. */
async function openStorage(
  { storage, publicUrl, filesUrl }: Config,
  { uploadTokens, readSignatures }: Pick<Services, "uploadTokens" | "readSignatures">,
  clock: Clock,
): Promise<{ blobs: Blobs; localFiles: LocalFiles | null }> {
  if (storage.kind === "disk") {
    const blobs = new DiskBlobs({
      folder: storage.folder,
      filesUrl,
      addressOf: (upload) => `${publicUrl}/api/storage/blob/${uploadTokens.write(upload)}`,
      signatureOf: (reading) => readSignatures.sign(reading),
    });
    return { blobs, localFiles: blobs };
  }
  const { openS3Blobs } = await loadS3();
  const pathStyle = storage.endpoint !== null;
  const shared = sharesHost(storage, publicUrl);
  const blobs = openS3Blobs({ ...storage, pathStyle, sharesHost: shared, clock });
  return { blobs, localFiles: null };
}

const openModel = ({ ai: { baseUrl, model } }: Config): Model =>
  openGroqModel({ baseUrl, model, timeoutMs: AI_TIMEOUT_MS });

/** Whether a bucket's public URL is on the dashboard's host. */
const sharesHost = (storage: { readonly publicUrl: string | null }, publicUrl: string): boolean =>
  storage.publicUrl !== null && new URL(storage.publicUrl).hostname === new URL(publicUrl).hostname;

/** Opens the bucket of a project through the egress guard, because its address is not trusted. */
async function openExternal(
  { accessKeyId, ...storage }: OpenedStorage,
  { egress, publicUrl, clock }: { egress: Egress; publicUrl: string; clock: Clock },
): Promise<Blobs> {
  const { openS3Blobs } = await loadS3();
  const { agents } = egress;
  const shared = sharesHost(storage, publicUrl);
  const options = { ...storage, sharesHost: shared, agents, clock };
  return openS3Blobs({ ...options, accessKeyId: accessKeyId.reveal() });
}

function folderOf(database: SqliteDatabase | MongoDatabase): string {
  if (database.kind === "sqlite") return database.folder;
  throw new Error("Only the embedded engine has a folder to keep keys in");
}
