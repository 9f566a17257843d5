import type { Context } from "hono";
import type { HeldBody } from "@/lib/http/body_budget.ts";
import { declaredLength, tooLarge } from "@/lib/http/body.ts";
import { isPagePath } from "@/lib/http/path.ts";
import { addCommonHeaders } from "@/lib/http/respond.ts";
import { FORM_BYTES_MAX, SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import type { AppEnv } from "./app.ts";
import type { Operation } from "./handler.ts";
import type { Offload } from "./offload.ts";

/** The largest body of an operation that takes no document: parsed in some two milliseconds. */
const LONG_BODY_BYTES = SMALL_BODY_BYTES_MAX;
/** The same of a page's form, whose page is drawn with its fields. */
const LONG_FORM_BYTES = 8192;

type HandOverServices = Pick<Services, "bodyBudget" | "requestShares" | "catalog">;

/**
 * Has a request answered in another thread, behind its guard: `bytes` are its body, where that was
 * read before.
 */
export type HandOver = (
  c: Context<AppEnv>,
  operation: Pick<Operation<unknown>, "offload" | "body">,
  bytes?: Uint8Array<ArrayBuffer>,
) => Promise<Response>;

/** Room for the requests that are handed over is found, and counted, here. */
export function createHandOver(
  { bodyBudget, requestShares, catalog }: HandOverServices,
  offload: Offload,
): HandOver {
  return async (c, { offload: when, body: { bytesMax = FORM_BYTES_MAX } = {} }, bytes) => {
    const { state, restartDeadline } = c.var;
    const { raw, sent = Promise.resolve(), share } = state;
    using held = bodyBudget.open(share);
    held.add(0, declaredLength(raw.headers, bytesMax));
    const unread = bytes === undefined ? raw.body : new Blob([bytes]).stream();
    const body = unread && watched(unread, { bytesMax, held, arrived: restartDeadline });
    const answered = offload.answer({
      requestId: state.id,
      projectId: state.projectId,
      hostname: state.peer,
      url: raw.url,
      method: raw.method,
      headers: [...raw.headers],
      body: body && body.stream,
      gone: raw.signal,
      sent,
    });
    // Nobody reads what is answered to a body that was refused here.
    body?.refused.catch(() => answered.then(({ response }) => response.body?.cancel(), () => {}));
    const { response, problem } = await Promise.race(body ? [answered, body.refused] : [answered]);
    state.problem = problem;
    // Another thread is as another process: what it changed is remembered here as it was.
    if (when === "always" && state.projectId) catalog.forgetProject(state.projectId);
    requestShares.count(share, sent); // It is under way until its last byte is sent.
    addCommonHeaders(state, response.headers);
    return response;
  };
}

type Weighed = Pick<Operation<unknown>, "path" | "offload"> & { readonly body?: object };

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

interface WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Rejects where it is too long, or there is no room for more of it. */
  readonly refused: Promise<never>;
}

/** A body whose bytes are counted while it is passed on. */
function watched(
  body: ReadableStream<Uint8Array>,
  { bytesMax, held, arrived }: { bytesMax: number; held: HeldBody; arrived: () => void },
): WatchedBody {
  const refused = Promise.withResolvers<never>();
  let length = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      arrived();
      try {
        length += chunk.length;
        if (length > bytesMax) throw tooLarge(bytesMax);
        held.add(chunk.length);
      } catch (error) {
        refused.reject(error);
        throw error;
      }
      controller.enqueue(chunk);
    },
  });
  return { stream: body.pipeThrough(counter), refused: refused.promise };
}
