import type { Secret } from "../crypto/secret.ts";
import type { Json } from "../store/port.ts";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface Question {
  readonly apiKey: Secret;
  /** The fixed system prompt, which never contains texts of users. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** The JSON Schema of the answer, and a name for it. */
  readonly answer: { readonly name: string; readonly schema: { readonly [name: string]: Json } };
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Called with each piece of the answer's JSON text while the model writes it. */
  readonly onText?: (piece: string) => void;
}

export type FailureKind =
  /** The caller no longer waits. */
  | "cancelled"
  | "late"
  /** The provider rejects the key. */
  | "key"
  /** The provider is unreachable, fails, or limits the rate. */
  | "unavailable"
  /** The answer is not JSON, or is incomplete. */
  | "malformed";

/** Missing answer. Contains no text of the provider, because it may repeat the question. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly kind: FailureKind;
  /** The provider's HTTP status; null without a response. */
  readonly status: number | null;
  /** Seconds of the provider's Retry-After; null without one. */
  readonly retryAfter: number | null;
  /** Whether a part of the answer was passed on before the time limit. */
  readonly hasStarted: boolean;

  constructor(
    kind: FailureKind,
    { status = null, retryAfter = null, hasStarted = false }: {
      status?: number | null;
      retryAfter?: number | null;
      hasStarted?: boolean;
    } = {},
  ) {
    super(`The model sent no answer: ${kind}${status === null ? "" : `, status ${status}`}`);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.hasStarted = hasStarted;
  }
}

/** A model whose JSON the caller validates. Retries 429 and 5xx once within the time limit. */
export interface Model {
  /** Asks a question. Throws {@linkcode ModelFailure}. */
  ask(question: Question): Promise<Json>;
}
