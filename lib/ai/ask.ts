import type { z } from "zod";
import type { Log } from "../runtime/log.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import type { ResolvedKey } from "./keys.ts";
import { type FailureKind, type Model, ModelFailure, type Question } from "./model.ts";

export interface AskServices {
  readonly model: Model;
  readonly log: Log;
}

const CODES: Record<Exclude<FailureKind, "key">, ProblemCode> = {
  // Nobody is there to read it.
  cancelled: "AI_UNAVAILABLE",
  late: "AI_TIMEOUT",
  unavailable: "AI_UNAVAILABLE",
  malformed: "AI_ANSWER_INVALID",
};

/**
 * Asks the model for an answer of this shape. Throws `AI_KEY_REJECTED` for a key of a user that the
 * provider does not take, `AI_UNAVAILABLE`, `AI_TIMEOUT`, and `AI_ANSWER_INVALID`.
 */
export async function askFor<S extends z.ZodType>(
  { model, log }: AskServices,
  { apiKey, isPlatforms }: ResolvedKey,
  shape: S,
  question: Omit<Question, "apiKey">,
): Promise<z.infer<S>> {
  try {
    const parsed = shape.safeParse(await model.ask({ ...question, apiKey }));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    throw problemOf(error, isPlatforms, log);
  }
  throw new Problem("AI_ANSWER_INVALID");
}

/**
 * Whether the provider has worked for a request that failed so: what came of it, usable or not, or
 * what nobody waited for, is charged. Everything else is given back.
 */
export const isCharged = (error: unknown, { aborted }: AbortSignal): boolean =>
  aborted || (error instanceof Problem && (error.code === "AI_ANSWER_INVALID" || isBegun(error)));

const isBegun = ({ cause }: Problem): boolean => cause instanceof ModelFailure && cause.isBegun;

function problemOf(failure: ModelFailure, isPlatforms: boolean, log: Log): Problem {
  const { kind, status, retryAfter } = failure;
  if (kind !== "key") {
    log.write("info", "The AI provider gave no answer", { kind, status });
    return new Problem(CODES[kind], {
      cause: failure,
      ...(retryAfter !== null && { retryAfter: Math.ceil(retryAfter) }),
    });
  }
  if (!isPlatforms) return new Problem("AI_KEY_REJECTED", { cause: failure });
  log.write("error", "The AI provider does not take AI_API_KEY", { status });
  return new Problem("AI_UNAVAILABLE", { cause: failure });
}
