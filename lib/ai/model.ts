import type { Secret } from "../crypto/secret.ts";
import type { Json } from "../store/port.ts";

/** Whoever said something in a chat. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What a model is asked. */
export interface Question {
  readonly apiKey: Secret;
  /** Our own words, the same for everybody: nothing that a user wrote is ever in them. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** The JSON Schema of the answer, and a word for it. */
  readonly answer: { readonly name: string; readonly schema: { readonly [name: string]: Json } };
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told of the answer's JSON text piece by piece, as it is written. */
  readonly onText?: (piece: string) => void;
}

/** Why there is no answer. */
export type FailureKind =
  /** Nobody waits any more. */
  | "cancelled"
  | "late"
  /** The provider does not take the key. */
  | "key"
  /** The provider cannot be reached, fails, or has had too many requests. */
  | "unavailable"
  /** What came is no JSON, or not all of it. */
  | "malformed";

/**
 * No answer. Carries nothing that the provider wrote: its texts may repeat what it was sent.
 */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly kind: FailureKind;
  /** The provider's status; null where there was none. */
  readonly status: number | null;
  /** Seconds that the provider wants to be left alone for. */
  readonly retryAfter: number | null;
  /** Whether some of the answer was told, and it took too long to end. */
  readonly isBegun: boolean;

  constructor(
    kind: FailureKind,
    { status = null, retryAfter = null, isBegun = false }: {
      status?: number | null;
      retryAfter?: number | null;
      isBegun?: boolean;
    } = {},
  ) {
    super(`The model gave no answer: ${kind}${status === null ? "" : `, status ${status}`}`);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.isBegun = isBegun;
  }
}

/**
 * Asks a language model. An answer is JSON that may still be anything: whoever asked checks it.
 * A request that is refused for the moment (429, 5xx) is sent once more, within the same time limit.
 */
export interface Model {
  /** Throws {@linkcode ModelFailure}. */
  ask(question: Question): Promise<Json>;
}
