import type { CorbelError as Declared } from "../client.d.ts";

interface Told {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly faults?: Declared["faults"];
  readonly operation?: number;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

export class CorbelError extends Error implements Declared {
  override readonly name = "CorbelError";
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly faults: Declared["faults"];
  readonly operation: number | null;
  readonly retryAfter: number | null;

  constructor({ code, message, cause, ...told }: Told) {
    super(message, { cause });
    this.code = code;
    this.status = told.status ?? 0;
    this.requestId = told.requestId ?? null;
    this.faults = told.faults ?? [];
    this.operation = told.operation ?? null;
    this.retryAfter = told.retryAfter ?? null;
  }
}

/** The code of an answer that Corbel did not give. */
export const NOT_CORBEL = "NO_ANSWER_OF_CORBEL";

/** Whether Corbel refuses a call for good. A busy server and a proxy that answers in its place do not. */
export const isRefusal = (error: unknown): error is CorbelError =>
  error instanceof CorbelError && error.code !== NOT_CORBEL &&
  error.status >= 400 && error.status < 500 &&
  ![408, 429].includes(error.status);

/** What the headers of an answer say of a failure. */
function detailsOf({ status, headers }: Response) {
  const retryAfter = Number(headers.get("retry-after") ?? NaN);
  return {
    status,
    requestId: headers.get("x-request-id"),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}

/** The error for an answer that Corbel does not give, such as a page of a proxy. */
export function foreignAnswer(response: Response, text: string): CorbelError {
  const address = response.url.split("?")[0] || "The server";
  const isHtml = /html/.test(response.headers.get("content-type") ?? "");
  const kind = isHtml ? "HTML" : text.trim() === "" ? "nothing" : "what is not Corbel's JSON";
  const message = `${address} answered ${response.status} with ${kind}: is it Corbel?`;
  return new CorbelError({ code: NOT_CORBEL, message, ...detailsOf(response) });
}

/** Parses JSON; null for what is none. */
function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The envelope of a successful answer. Throws `NO_ANSWER_OF_CORBEL`. */
export async function envelopeOf(response: Response) {
  const text = await response.text();
  const envelope = parsed(text);
  if (envelope?.data === undefined) throw foreignAnswer(response, text);
  return { ...envelope, etag: response.headers.get("etag") };
}

/** The error for an answer that is no success, whether Corbel gave it or a proxy. */
export async function errorOf(response: Response): Promise<CorbelError> {
  const text = await response.text().catch(() => "");
  const refusal = parsed(text);
  if (typeof refusal?.code !== "string") return foreignAnswer(response, text);
  return new CorbelError({ ...refusal, ...detailsOf(response) });
}
