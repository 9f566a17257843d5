import { z } from "@hono/zod-openapi";
import { FAULTS_MAX } from "@/lib/documents/fit.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";

/** What a value that does not fit is refused as. */
export interface InputProblems {
  /** Where it has not the shape at all, as where it is no object; `INVALID_BODY` if left out. */
  readonly problem?: ProblemCode;
  /** Where a member does not fit; the same as `problem` if left out. */
  readonly memberProblem?: ProblemCode;
}

/** What a schema makes of a value. Throws a problem that tells the first of what does not fit. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { problem = "INVALID_BODY", memberProblem = problem }: InputProblems = {},
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  throw new Problem(first.path.length === 0 ? problem : memberProblem, {
    message: first.message,
    faults: issues.slice(0, FAULTS_MAX)
      .map(({ path, message }) => ({ path: path.join("."), message })),
  });
}

/** What zod tells of a value that does not fit, as far as messages need it. */
interface Misfit {
  readonly code?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
}

/** A text that says something. @param must What the message says of one that is none. */
export function text(must = "must be text") {
  const error = ({ path = [] }: Misfit): string => `"${String(path.at(-1))}" ${must}.`;
  return z.string({ error }).min(1, { error });
}

/** Of a text that is all in one line and shows something. */
export const LINE_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f]" +
  "[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** Of a text without NUL. */
export const WITHOUT_NUL_PATTERN = "^[^\\u0000]*$";

/** As {@linkcode bodyOf}, for a body whose further members are not looked at. */
export const openBodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape, { error: "Send one JSON object." });

/**
 * A body of these members and no others. A name that is not among them is not repeated: what is
 * confidential may be put there by mistake.
 */
export const bodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }: Misfit) =>
      code === "unrecognized_keys"
        ? `The body may have only ${Object.keys(shape).join(", ")}.`
        : "Send one JSON object.",
  });

/** A body of which one message tells all, whatever does not fit. */
export const bodySaying = <Shape extends z.ZodRawShape>(
  message: string,
  shapeOf: (error: string) => Shape,
) => z.strictObject(shapeOf(message), { error: message });
