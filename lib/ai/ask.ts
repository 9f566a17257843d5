import type { z } from "zod";
import type { Log } from "../runtime/log.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import type { ResolvedKey } from "./keys.ts";
import { type FailureKind, type Model, ModelFailure, type Question } from "./model.ts";

export interface AskServices {
  readonly model: Model;
  readonly log: Log;
}

const PROBLEM_CODES: Record<Exclude<FailureKind, "key">, ProblemCode> = {
  // The caller is gone and never receives it.
  cancelled: "AI_UNAVAILABLE",
  late: "AI_TIMEOUT",
  unavailable: "AI_UNAVAILABLE",
  malformed: "AI_ANSWER_INVALID",
};

/** Throws `AI_KEY_REJECTED` for an own key, `AI_UNAVAILABLE`, `AI_TIMEOUT`, `AI_ANSWER_INVALID`. */
export async function askFor<S extends z.ZodType>(
  { model, log }: AskServices,
  { apiKey, isServerKey }: ResolvedKey,
  shape: S,
  question: Omit<Question, "apiKey">,
): Promise<z.infer<S>> {
  try {
    const parsed = shape.safeParse(await model.ask({ ...question, apiKey }));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    throw toProblem(error, isServerKey, log);
  }
  throw new Problem("AI_ANSWER_INVALID");
}

/** Whether a failed request counts against the caps, because the provider has worked for it. */
export const isCharged = (error: unknown, { aborted }: AbortSignal): boolean =>
  aborted ||
  (error instanceof Problem && (error.code === "AI_ANSWER_INVALID" || hasStarted(error)));

const hasStarted = ({ cause }: Problem): boolean =>
  cause instanceof ModelFailure && cause.hasStarted;

function toProblem(failure: ModelFailure, isServerKey: boolean, log: Log): Problem {
  const { kind, status, retryAfter } = failure;
  if (kind !== "key") {
    log.write("info", "The AI provider sent no answer", { kind, status });
    return new Problem(PROBLEM_CODES[kind], {
      cause: failure,
      ...(retryAfter !== null && { retryAfter: Math.ceil(retryAfter) }),
    });
  }
  if (!isServerKey) return new Problem("AI_KEY_REJECTED", { cause: failure });
  log.write("error", "The AI provider rejects AI_API_KEY", { status });
  return new Problem("AI_UNAVAILABLE", { cause: failure });
}
