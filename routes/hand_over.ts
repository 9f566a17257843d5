import type { Context } from "hono";
import { type BodyLimits, isJson, readBodyChunks } from "@/lib/http/body.ts";
import { isPagePath } from "@/lib/http/path.ts";
import { addCommonHeaders } from "@/lib/http/respond.ts";
import { FORM_BYTES_MAX, SMALL_BODY_BYTES_MAX, UPLOAD_STALL_MS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { bodyBytesMax } from "@/openapi/contract.ts";
import type { AppEnv, Operation } from "./handler.ts";
import { deliverResponse } from "./delivery.ts";
import { mayBeMissing } from "./input.ts";
import type { Offload } from "./offload.ts";

/** The largest body of an operation that takes no document. */
export const LONG_BODY_BYTES = SMALL_BODY_BYTES_MAX;
/** The same of a page's form, whose page is drawn with its fields. */
export const LONG_FORM_BYTES = 8192;
const FORM_UPLOAD_MS = 300_000;

type HandOverServices = Pick<
  Services,
  "bodyBudget" | "requestShares" | "deliveries" | "catalog"
>;

/**
 * Has a request answered in another thread, behind its guard: `bytes` are its body, where that was
 * read before.
 */
export type HandOver = (
  c: Context<AppEnv>,
  operation: Pick<Operation<unknown>, "path" | "offload" | "body">,
  bytes?: Uint8Array<ArrayBuffer>,
) => Promise<Response>;

/**
 * Bodies are read here, where room for them is found and counted: a slow one takes nobody's turn in
 * the other thread.
 */
export function createHandOver(
  services: HandOverServices,
  offload: Offload,
): HandOver {
  const { bodyBudget, requestShares, deliveries, catalog } = services;
  return async (c, operation, bytes) => {
    const { state, restartDeadline } = c.var;
    const { raw, sent = Promise.resolve(), share } = state;
    refuseOtherBody(operation, raw.headers);
    using held = bodyBudget.open(share);
    const limits = { ...limitsOf(operation), held, arrived: restartDeadline };
    const { response, problem } = await offload.answer({
      requestId: state.id,
      projectId: state.projectId,
      hostname: state.peer,
      url: raw.url,
      method: raw.method,
      headers: [...raw.headers],
      body: bytes === undefined ? await readBodyChunks(raw, limits) : [bytes],
      share,
      gone: raw.signal,
      // What is read here is long.
      admitted: () => void (raw.method === "GET" && deliveries.assertRoom(state.caller)),
      sent,
    });
    state.problem = problem;
    // Another thread is as another process: what it changed is remembered here as it was.
    const mayChange = operation.offload === "always" && raw.method !== "GET";
    if (mayChange && state.projectId) catalog.forgetProject(state.projectId);
    requestShares.count(share, sent); // It is under way until its last byte is sent.
    addCommonHeaders(state, response.headers);
    return deliverResponse(services, state, response);
  };
}

/** What is sure to be refused is not read before. Throws `UNSUPPORTED_MEDIA_TYPE`. */
function refuseOtherBody({ body }: Pick<Operation<unknown>, "body">, headers: Headers): void {
  if (body === undefined || mayBeMissing(body) || isJson(headers.get("content-type"))) return;
  throw new Problem("UNSUPPORTED_MEDIA_TYPE");
}

/** A page's form may bring a file, which takes its time. */
function limitsOf({ path, body }: Weighed): Pick<BodyLimits, "bytesMax" | "timeoutMs" | "stallMs"> {
  if (isPagePath(path)) {
    return { bytesMax: FORM_BYTES_MAX, timeoutMs: FORM_UPLOAD_MS, stallMs: UPLOAD_STALL_MS };
  }
  return { bytesMax: body ? bodyBytesMax(body) : 0 };
}

interface Weighed extends Pick<Operation<unknown>, "path" | "offload"> {
  readonly body?: { readonly bytesMax?: number };
}

/** Whether an operation may take long whatever it is sent, or is sent a long body. */
export function isLong({ path, offload, body }: Weighed, { method, headers }: Request): boolean {
  if (offload !== undefined) return offload === "always";
  const isPage = isPagePath(path);
  // Operations without a body do not read what they are sent, and files are written as they arrive.
  if (method === "GET" || method === "HEAD" || !(isPage || body)) return false;
  const length = headers.get("content-length");
  if (length === null) return headers.has("transfer-encoding");
  return Number(length) > (isPage ? LONG_FORM_BYTES : LONG_BODY_BYTES);
}
