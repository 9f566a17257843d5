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

/** What an answer that is no success says, also where somebody else than Corbel has answered. */
export async function errorOf(response: Response): Promise<CorbelError> {
  const { status, headers } = response;
  const told = await response.json().catch(() => ({}));
  const retryAfter = Number(headers.get("retry-after") ?? NaN);
  return new CorbelError({
    ...told,
    code: told.code ?? "NO_ANSWER_OF_CORBEL",
    message: told.message ?? `The server answered ${status}.`,
    status,
    requestId: headers.get("x-request-id"),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}
