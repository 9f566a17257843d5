import type { CorbelError as Declared } from "../client.d.ts";

interface ErrorDetails {
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

  constructor({ code, message, cause, ...details }: ErrorDetails) {
    super(message, { cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId ?? null;
    this.faults = details.faults ?? [];
    this.operation = details.operation ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

/** Code of an answer that did not come from Corbel. */
export const NOT_CORBEL = "NO_ANSWER_OF_CORBEL";

/** Whether Corbel refuses a request permanently, unlike a busy server or a proxy. */
export const isRefusal = (error: unknown): error is CorbelError =>
  error instanceof CorbelError && error.code !== NOT_CORBEL &&
  error.status >= 400 && error.status < 500 &&
  ![408, 429].includes(error.status);

function responseDetails({ status, headers }: Response) {
  const retryAfter = Number(headers.get("retry-after") ?? NaN);
  return {
    status,
    requestId: headers.get("x-request-id"),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}

/** Returns the error for an answer that did not come from Corbel, such as a page of a proxy. */
export function foreignAnswer(response: Response, text: string): CorbelError {
  const address = response.url.split("?")[0] || "The server";
  const isHtml = /html/.test(response.headers.get("content-type") ?? "");
  const kind = isHtml
    ? "HTML"
    : text.trim() === ""
    ? "nothing"
    : "something other than Corbel's JSON";
  const message = `${address} answered ${response.status} with ${kind}: is it Corbel?`;
  return new CorbelError({ code: NOT_CORBEL, message, ...responseDetails(response) });
}

function parseOrNull(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Resolves to the envelope of a successful response. Throws `NO_ANSWER_OF_CORBEL`. */
export async function envelopeOf(response: Response) {
  const text = await response.text();
  const envelope = parseOrNull(text);
  if (envelope?.data === undefined) throw foreignAnswer(response, text);
  return { ...envelope, etag: response.headers.get("etag") };
}

export async function errorOf(response: Response): Promise<CorbelError> {
  const text = await response.text().catch(() => "");
  const refusal = parseOrNull(text);
  if (typeof refusal?.code !== "string") return foreignAnswer(response, text);
  return new CorbelError({ ...refusal, ...responseDetails(response) });
}
