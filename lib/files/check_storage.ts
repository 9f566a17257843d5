import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { type Egress, EgressFailed } from "../http/egress.ts";
import { type EgressAnswer, egressRequest } from "../http/egress_request.ts";
import { UPLOAD_URL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { findProject } from "../projects/projects.ts";
import { findStorage } from "./storage_settings.ts";
import type { Engine, Id } from "../store/port.ts";
import { type Blobs, BlobsUnavailable, PREFIXES, type UploadGrant } from "./blobs.ts";
import { bucketPolicy, corsRules } from "./bucket_rules.ts";
import { newPath } from "./paths.ts";
import type { BlobStores } from "./stores.ts";

/** `skipped`: an earlier step failed that the step needs. A `warning` does not fail the check. */
export type CheckResult = "ok" | "warning" | "failed" | "skipped";

export interface CheckStep {
  readonly step: string;
  readonly result: CheckResult;
  readonly message: string;
}

export interface StorageCheck {
  readonly ok: boolean;
  readonly steps: readonly CheckStep[];
  readonly corsRules: ReturnType<typeof corsRules>;
  readonly bucketPolicy: ReturnType<typeof bucketPolicy>;
}

export interface CheckServices {
  readonly engine: Engine;
  readonly blobStores: BlobStores;
  readonly egress: Egress;
  readonly clock: Clock;
  readonly config: Pick<Config, "publicUrl">;
}

/**
 * Checks a project's own bucket: all steps of an upload, also as a browser and without credentials.
 * Throws `INVALID_PROJECT_ID`, `PROJECT_NOT_FOUND`, and `INVALID_INPUT` without a bucket.
 */
export async function checkStorage(
  services: CheckServices,
  projectId: Id,
): Promise<StorageCheck> {
  const { siteUrl } = await findProject(services, projectId);
  const settings = (await findStorage(services, projectId))?.value;
  if (settings === undefined) {
    throw new Problem("INVALID_INPUT", {
      message: "The project has no storage of its own to check: set it first.",
    });
  }
  const blobs = await services.blobStores.blobsOf(projectId, settings.target);
  const dashboard = new URL(services.config.publicUrl).origin;
  const origins = [...new Set([siteUrl ?? dashboard, dashboard])];
  const object = await newProbe(blobs, services, projectId);
  const { steps, take } = createSteps();
  const probe = { ...object, blobs, egress: services.egress, origins };

  await take("reach", () => reach(probe));
  const isStaged = await take("write", () => write(probe));
  await take("staging is private", () => stagingIsPrivate(probe), isStaged);
  const isStored = await take("publish", () => publish(probe), isStaged);
  await take("read", () => read(probe), isStored);
  await take("public reading", () => publicReading(probe), isStored);
  for (const origin of origins) {
    await take(`preflight of PUT from ${origin}`, () => preflight(probe, origin));
    for (const method of ["GET", "HEAD"] as const) {
      await take(`${method} from ${origin}`, () => crossOrigin(probe, method, origin), isStored);
    }
  }
  await take("private files are private", () => privateIsPrivate(probe), isStored);
  await take("uploads in pieces", () => uploadInPieces(probe), isStored);
  await take("remove", () => remove(probe));
  if (siteUrl === null) steps.push(NO_SITE);
  return {
    ok: steps.every(({ result }) => result !== "failed"),
    steps,
    corsRules: corsRules(origins),
    bucketPolicy: bucketPolicy(settings.bucket),
  };
}

const NO_SITE: CheckStep = {
  step: "Site URL",
  result: "warning",
  message: "The project has no Site URL: only the dashboard's origin was tried.",
};

type StepOutcome = Omit<CheckStep, "step">;

const ok = (message: string): StepOutcome => ({ result: "ok", message });
const warning = (message: string): StepOutcome => ({ result: "warning", message });
const failed = (message: string): StepOutcome => ({ result: "failed", message });

function createSteps() {
  const steps: CheckStep[] = [];

  async function attempt(work: () => Promise<StepOutcome>): Promise<StepOutcome> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof BlobsUnavailable) return failed(`${error.message}.`);
      if (error instanceof EgressFailed) return failed(`The request failed: ${error.message}.`);
      throw error;
    }
  }

  /** Runs a step and returns whether later steps can depend on it. */
  async function take(
    step: string,
    work: () => Promise<StepOutcome>,
    isPossible = true,
  ): Promise<boolean> {
    const outcome: StepOutcome = isPossible
      ? await attempt(work)
      : { result: "skipped", message: "An earlier step failed." };
    steps.push({ step, ...outcome });
    return outcome.result === "ok" || outcome.result === "warning";
  }

  return { steps, take };
}

interface Probe {
  readonly upload: UploadGrant;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly signedUrl: URL;
}

interface StorageProbe extends Probe {
  readonly blobs: Blobs;
  readonly egress: Egress;
  readonly origins: readonly string[];
}

async function newProbe(
  blobs: Blobs,
  { clock }: Pick<CheckServices, "clock">,
  projectId: Id,
): Promise<Probe> {
  const path = newPath(projectId, crypto.randomUUID(), "storage-check.txt");
  const content = new TextEncoder().encode(`A check of this bucket wrote ${path}.\n`);
  const upload = {
    path,
    bytes: content.length,
    contentType: "text/plain",
    expiresAt: clock.now() + UPLOAD_URL_MS,
  };
  return { upload, content, signedUrl: new URL(await blobs.signUpload(upload)) };
}

async function reach({ blobs }: StorageProbe): Promise<StepOutcome> {
  await blobs.ping();
  return ok("The bucket answers, accepts the keys, and reports a missing object as missing.");
}

/** Sends a PUT to the signed URL, as a browser does. */
async function write(probe: StorageProbe): Promise<StepOutcome> {
  const { blobs, egress, upload, content, signedUrl, origins } = probe;
  const answer = await egressRequest(egress, signedUrl, {
    method: "PUT",
    headers: { "content-type": upload.contentType, origin: origins[0]! },
    body: content,
  });
  if (!isSuccess(answer)) {
    return failed(`PUT to a signed URL ${describeAnswer(answer)}. The keys need s3:PutObject.`);
  }
  const staged = await blobs.stat("staged", upload.path);
  if (staged?.bytes !== content.length) {
    return failed(`${content.length} bytes were sent, and ${staged?.bytes ?? "none"} are there.`);
  }
  return ok("A signed URL takes a PUT, and the object is there.");
}

async function stagingIsPrivate(probe: StorageProbe): Promise<StepOutcome> {
  if (!await isReadable(probe, "staged")) {
    return ok("Objects under _incoming/ cannot be read without the keys.");
  }
  return warning(
    "Everybody can read objects under _incoming/, which are not confirmed yet: let the " +
      "bucket's policy allow s3:GetObject with NotResource, as bucketPolicy shows.",
  );
}

async function isReadable(probe: StorageProbe, place: "staged" | "private"): Promise<boolean> {
  for (const url of publicAddressesOf(probe, place)) {
    if (isSuccess(await egressRequest(probe.egress, url, { method: "GET" }))) return true;
  }
  return false;
}

async function privateIsPrivate(probe: StorageProbe): Promise<StepOutcome> {
  const { blobs, egress, upload: { path, contentType, expiresAt }, content } = probe;
  const copied = await blobs.copy(path, contentType, "private");
  if (copied?.bytes !== content.length) return failed("The object cannot be copied to _private/.");
  if (await isReadable(probe, "private")) {
    return failed(
      "Everybody can read objects under _private/: let the bucket's policy allow s3:GetObject with " +
        "NotResource, as bucketPolicy shows, before you keep private files.",
    );
  }
  const signed = new URL(await blobs.signReading({ place: "private", path, expiresAt }));
  const answer = await egressRequest(egress, signed, { method: "GET" });
  return areEqual(answer.body, content)
    ? ok("A signed URL reads a private file, and nothing else does.")
    : failed(`A signed URL of a private file ${describeAnswer(answer)}.`);
}

/** Uploads the object in pieces to the path of the private file, which a later step removes. */
async function uploadInPieces({ blobs, upload, content }: StorageProbe): Promise<StepOutcome> {
  const { path, contentType, bytes } = upload;
  const pieced = { path, contentType, bytes, place: "private" as const };
  try {
    await blobs.pieces.begin(pieced); // Abandoned, so that the removal has to abort it.
    const name = await blobs.pieces.begin(pieced);
    await using writer = await blobs.pieces.resume(pieced, { name, arrived: 0 });
    await writer.write(content);
    await writer.flush(() => Promise.resolve());
    const joined = await blobs.pieces.join(pieced, name);
    return joined?.bytes === bytes
      ? ok("An upload in parts is completed.")
      : failed(`An upload in parts has ${joined?.bytes ?? "no"} bytes, not ${bytes}.`);
  } finally {
    await blobs.pieces.remove(path);
  }
}

async function publish({ blobs, upload, content }: StorageProbe): Promise<StepOutcome> {
  const stored = await blobs.publish(upload.path, upload.contentType);
  if (stored?.bytes === content.length) return ok("The object can be copied to its place.");
  return failed(`The copied object has ${stored?.bytes ?? "no"} bytes, not ${content.length}.`);
}

async function read({ blobs, upload, content }: StorageProbe): Promise<StepOutcome> {
  const stream = await blobs.read("stored", upload.path);
  const bytes = stream && await readBytes(stream, content.length);
  return bytes !== null && areEqual(bytes, content)
    ? ok("The keys read what was written.")
    : failed("What is read is not what was written.");
}

async function publicReading(probe: StorageProbe): Promise<StepOutcome> {
  const url = probe.blobs.publicUrl(probe.upload.path);
  if (url === null) {
    return warning("No publicUrl is set: files have no url, and confirming one answers a warning.");
  }
  const answer = await egressRequest(probe.egress, new URL(url), { method: "GET" });
  if (answer.status !== 200) {
    return failed(
      `The file's url ${describeAnswer(answer)} without keys: let the bucket's policy allow ` +
        "s3:GetObject to everybody, as bucketPolicy shows, and let publicUrl be where it is served.",
    );
  }
  return areEqual(answer.body, probe.content)
    ? ok("Everybody reads the file at its url.")
    : failed("The file's url serves something else: publicUrl is another bucket's or site's.");
}

async function preflight(
  { egress, signedUrl }: StorageProbe,
  origin: string,
): Promise<StepOutcome> {
  const answer = await egressRequest(egress, signedUrl, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    },
  });
  const missing = [
    ...(isSuccess(answer) && allows(answer, "origin", origin) ? [] : ["the origin"]),
    ...(allows(answer, "methods", "PUT") ? [] : ["the method PUT"]),
    ...(allows(answer, "headers", "content-type") ? [] : ["the header content-type"]),
  ];
  if (missing.length === 0) return ok("Browsers may upload.");
  return failed(
    `It ${describeAnswer(answer)} and does not allow ${
      missing.join(", ")
    }: browsers cannot upload. ` +
      "Set corsRules on the bucket.",
  );
}

async function crossOrigin(
  probe: StorageProbe,
  method: "GET" | "HEAD",
  origin: string,
): Promise<StepOutcome> {
  const [url] = publicAddressesOf(probe, "stored");
  const answer = await egressRequest(probe.egress, url!, { method, headers: { origin } });
  if (allows(answer, "origin", origin)) return ok("Scripts of this origin may read the answer.");
  const message =
    `It ${describeAnswer(answer)} without access-control-allow-origin: scripts cannot ` +
    "read the answer. Set corsRules on the bucket.";
  // Some stores send the header only with successful responses.
  const isRefusal = answer.status === 401 || answer.status === 403;
  return isRefusal && probe.blobs.publicUrl(probe.upload.path) === null
    ? warning(message)
    : failed(message);
}

async function remove({ blobs, upload: { path } }: StorageProbe): Promise<StepOutcome> {
  let isLeft = false;
  for (const place of ["staged", "private", "stored"] as const) {
    await blobs.remove(place, path);
    isLeft ||= await blobs.stat(place, path) !== null;
  }
  return isLeft
    ? failed(
      `The bucket keeps what is deleted: remove ${path} there, below _incoming/ and _private/, too.`,
    )
    : ok("Nothing is left of the check.");
}

/** Returns the URLs of an object without credentials: the public one, if any, and the bucket's. */
function publicAddressesOf(
  { blobs, upload, signedUrl }: StorageProbe,
  place: keyof typeof PREFIXES,
): URL[] {
  const { path } = upload;
  const key = `${PREFIXES[place]}${path}`;
  const bucket = signedUrl.pathname.slice(0, -`${PREFIXES.staged}${path}`.length);
  const published = blobs.publicUrl(path);
  return [
    ...(published === null ? [] : [new URL(`${published.slice(0, -path.length)}${key}`)]),
    new URL(`${signedUrl.origin}${bucket}${key}`),
  ];
}

const isSuccess = ({ status }: EgressAnswer): boolean => status >= 200 && status < 300;

function describeAnswer({ status, body }: EgressAnswer): string {
  const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(new TextDecoder().decode(body))?.[1];
  return `answered ${status}${code === undefined ? "" : ` ${code}`}`;
}

function allows(
  answer: EgressAnswer,
  what: "origin" | "methods" | "headers",
  value: string,
): boolean {
  const allowed = answer.header(`access-control-allow-${what}`)?.toLowerCase().split(/\s*,\s*/);
  return allowed?.some((one) => one === "*" || one === value.toLowerCase()) ?? false;
}

/** Reads a stream of up to `max` bytes; null if it is longer. */
async function readBytes(
  stream: ReadableStream<Uint8Array>,
  max: number,
): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(max);
  let length = 0;
  for await (const chunk of stream) {
    if (length + chunk.length > max) return null;
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}

const areEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);
