import { z } from "@hono/zod-openapi";
import { FAULTS_MAX } from "@/lib/documents/validate.ts";
import { quoted } from "@/lib/text/input_text.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";

export interface InputProblems {
  /** Code if the value has the wrong type, such as not an object. Default: `INVALID_BODY`. */
  readonly problem?: ProblemCode;
  /** Code if a member is invalid. Default: `problem`. */
  readonly memberProblem?: ProblemCode;
}

/** Parses a value with a schema. Throws a problem that describes the first invalid part. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { problem = "INVALID_BODY", memberProblem = problem }: InputProblems = {},
): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  throw new Problem(first.path.length === 0 ? problem : memberProblem, {
    message: first.message + suggestChoice(first),
    faults: issues.slice(0, FAULTS_MAX)
      .map(({ path, message }) => ({ path: path.join("."), message })),
  });
}

/** Returns a suggestion or "" for a value outside an enumeration, without repeating the value. */
const suggestChoice = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_value" && typeof issue.input === "string"
    ? didYouMean(issue.input, issue.values.filter((value) => typeof value === "string"))
    : "";

/** A path parameter. Reading it only checks its format; the schema is for the document. */
export interface PathParameter<T extends string = string> {
  readonly schema: z.ZodType;
  /** Problem of an invalid text; null if an invalid text is treated as an unknown one. */
  readonly problem: ProblemCode | null;
  /** Throws `problem`. */
  read(text: string): T;
}

export type PathParameters = Readonly<Record<string, PathParameter>>;

export type Params<N extends PathParameters> = {
  readonly [Name in keyof N]: N[Name] extends PathParameter<infer T> ? T : never;
};

/** Parses path parameters. @param rawText Returns a parameter as it was sent, decoded. */
export function readParams<N extends PathParameters>(
  params: readonly (readonly [string, PathParameter])[],
  rawText: (name: string) => string,
): Params<N> {
  const read: Record<string, string> = {};
  for (const [name, parameter] of params) read[name] = parameter.read(rawText(name));
  return read as Params<N>; // Of the same names.
}

/** A request header. Its value says whether the header was sent. */
export interface HeaderParameter<T = unknown> {
  readonly schema: z.ZodType;
  /** Problem of an invalid text; null if every text is valid. */
  readonly problem: ProblemCode | null;
  /** Throws `problem`. @param text Null if the header is not sent. */
  read(text: string | null): T;
}

export type HeaderParameters = Readonly<Record<string, HeaderParameter>>;

export type HeaderValues<H extends HeaderParameters> = {
  readonly [Name in keyof H]: H[Name] extends HeaderParameter<infer T> ? T : never;
};

export function readHeaders<H extends HeaderParameters>(
  parameters: readonly (readonly [string, HeaderParameter])[],
  headers: Headers,
): HeaderValues<H> {
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of parameters) read[name] = parameter.read(headers.get(name));
  return read as HeaderValues<H>; // Of the same names.
}

export interface QuerySpec<Q> {
  readonly schema: z.ZodObject;
  /** Throws `INVALID_QUERY`. */
  read(text: string): Q;
}

/** Declares a query of these parameters, each once. @param of The operation's name in messages. */
export const queryOf = <Shape extends z.ZodRawShape>(shape: Shape, of: string) =>
  querySpec(shape, {
    unknown: (name) =>
      `${quoted(name)} is not a parameter of ${of}: use ${Object.keys(shape).join(", ")}.` +
      didYouMean(name, Object.keys(shape)),
    repeated,
  });

const repeated = (name: string): string => `${quoted(name)} is given more than once.`;

/** Declares a query of which other parameters are ignored. */
export const openQueryOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  querySpec(shape, { unknown: null, repeated });

/** Declares a query with one message for every kind of invalid input. */
export const queryWithMessage = <Shape extends z.ZodRawShape>(
  message: string,
  shapeOf: (error: string) => Shape,
) => querySpec(shapeOf(message), { unknown: () => message, repeated: () => message });

function querySpec<Shape extends z.ZodRawShape>(
  shape: Shape,
  { unknown, repeated }: {
    /** Message for an unknown parameter; null to ignore unknown parameters. */
    readonly unknown: ((name: string) => string) | null;
    readonly repeated: (name: string) => string;
  },
): QuerySpec<z.output<z.ZodObject<Shape>>> {
  const schema = z.object(shape);
  const invalidQuery = (message: string) => new Problem("INVALID_QUERY", { message });
  return {
    schema,
    read(text) {
      const given = new Map<string, string>();
      for (const [name, value] of new URLSearchParams(text)) {
        if (!Object.hasOwn(shape, name)) {
          if (unknown === null) continue;
          throw invalidQuery(unknown(name));
        }
        if (given.has(name)) throw invalidQuery(repeated(name));
        given.set(name, value);
      }
      return parseInput(schema, Object.fromEntries(given), { problem: "INVALID_QUERY" });
    },
  };
}

export interface Issue {
  readonly code?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
  /** Unexpected names, for `unrecognized_keys`. */
  readonly keys?: readonly string[] | undefined;
  readonly input?: unknown;
}

/** Schema of a text that is not empty. @param must Rest of the message after the name. */
export function nonEmptyText(must = "must be text") {
  const error = ({ path = [], input }: Issue): string => {
    const name = `"${String(path.at(-1))}"`;
    return input === undefined ? `${name} is missing: it ${must}.` : `${name} ${must}.`;
  };
  return z.string({ error }).min(1, { error });
}

export const LINE_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f]" +
  "[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** Schema of a single line that is not blank. */
export const singleLine = (lengthMax: number, message: string) =>
  z.string({ error: message }).refine((text) => isLine(text) && text.length <= lengthMax, message)
    .openapi({ minLength: 1, maxLength: lengthMax, pattern: LINE_PATTERN });

const LINE = new RegExp(LINE_PATTERN);
const isLine = (text: string): boolean => LINE.test(text) && text.isWellFormed();

export const WITHOUT_NUL_PATTERN = "^[^\\u0000]*$";

/** Declares a body of which other members are ignored. */
export const openBodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape, { error: "Send one JSON object." });

/** Message for unexpected members. Suggests a name, but repeats none: it may be a secret. */
export const unexpectedMember =
  (subject: string, names: readonly string[], otherwise: string) =>
  ({ code, keys: [unknown = ""] = [] }: Issue): string =>
    code === "unrecognized_keys"
      ? `${subject} may have only ${names.join(", ")}.${didYouMean(unknown, names)}`
      : otherwise;

export const bodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: unexpectedMember("The body", Object.keys(shape), "Send one JSON object."),
  });

/** Declares a body with one message for every kind of invalid input. */
export const bodyWithMessage = <Shape extends z.ZodRawShape>(
  message: string,
  shapeOf: (error: string) => Shape,
) => z.strictObject(shapeOf(message), { error: message });
