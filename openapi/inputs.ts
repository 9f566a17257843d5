import { z } from "@hono/zod-openapi";
import { FAULTS_MAX } from "@/lib/documents/validate.ts";
import { shown } from "@/lib/text/input_text.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
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
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  throw new Problem(first.path.length === 0 ? problem : memberProblem, {
    message: first.message + choiceMeant(first),
    faults: issues.slice(0, FAULTS_MAX)
      .map(({ path, message }) => ({ path: path.join("."), message })),
  });
}

/** For the end of a message about a word that is none of several; it is not repeated there. */
const choiceMeant = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_value" && typeof issue.input === "string"
    ? didYouMean(issue.input, issue.values.filter((value) => typeof value === "string"))
    : "";

/**
 * A parameter of the path. To read it costs no more than a look at its format: what is shown of it is
 * a schema, but no schema parses it.
 */
export interface PathParameter<T extends string = string> {
  readonly schema: z.ZodType;
  /** What a text that does not fit is refused as; null where nothing tells it from what is unknown. */
  readonly problem: ProblemCode | null;
  /** Throws `problem`. */
  read(text: string): T;
}

export type PathParameters = Readonly<Record<string, PathParameter>>;

/** Path parameters as they have been read. */
export type Params<N extends PathParameters> = {
  readonly [Name in keyof N]: N[Name] extends PathParameter<infer T> ? T : never;
};

/** Reads the parameters of a path, of which `textOf` knows each as it was sent, decoded. */
export function readParams<N extends PathParameters>(
  params: readonly (readonly [string, PathParameter])[],
  textOf: (name: string) => string,
): Params<N> {
  const read: Record<string, string> = {};
  for (const [name, parameter] of params) read[name] = parameter.read(textOf(name));
  return read as Params<N>; // Of the same names.
}

/**
 * A header, as {@linkcode PathParameter}. Where it is not sent, or may be anything, what is read of
 * it says so.
 */
export interface HeaderParameter<T = unknown> {
  readonly schema: z.ZodType;
  /** What a text that does not fit is refused as; null where nothing is refused. */
  readonly problem: ProblemCode | null;
  /** Throws `problem`. @param text Null where it is not sent. */
  read(text: string | null): T;
}

/** By their names in lower case. */
export type HeaderParameters = Readonly<Record<string, HeaderParameter>>;

/** Headers as they have been read. */
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

/** The parameters of a query. */
export interface QuerySpec<Q> {
  readonly schema: z.ZodObject;
  /** Throws `INVALID_QUERY`. */
  read(text: string): Q;
}

/** A query of these parameters and no others, none of them twice. @param of Whose they are. */
export const queryOf = <Shape extends z.ZodRawShape>(shape: Shape, of: string) =>
  querySpec(shape, {
    unknown: (name) =>
      `${shown(name)} is not a parameter of ${of}: use ${Object.keys(shape).join(", ")}.` +
      didYouMean(name, Object.keys(shape)),
    repeated,
  });

const repeated = (name: string): string => `${shown(name)} is given more than once.`;

/** A query of which these parameters are read, and no others looked at. */
export const openQueryOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  querySpec(shape, { unknown: null, repeated });

/** A query of which one message tells all, whatever does not fit. */
export const querySaying = <Shape extends z.ZodRawShape>(
  message: string,
  shapeOf: (error: string) => Shape,
) => querySpec(shapeOf(message), { unknown: () => message, repeated: () => message });

function querySpec<Shape extends z.ZodRawShape>(
  shape: Shape,
  { unknown, repeated }: {
    /** Null where they are not looked at. */
    readonly unknown: ((name: string) => string) | null;
    readonly repeated: (name: string) => string;
  },
): QuerySpec<z.output<z.ZodObject<Shape>>> {
  const schema = z.object(shape);
  const refuse = (message: string) => new Problem("INVALID_QUERY", { message });
  return {
    schema,
    read(text) {
      const given = new Map<string, string>();
      for (const [name, value] of new URLSearchParams(text)) {
        if (!Object.hasOwn(shape, name)) {
          if (unknown === null) continue;
          throw refuse(unknown(name));
        }
        if (given.has(name)) throw refuse(repeated(name));
        given.set(name, value);
      }
      return parseInput(schema, Object.fromEntries(given), { problem: "INVALID_QUERY" });
    },
  };
}

/** What zod tells of a value that does not fit, as far as messages need it. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
  /** Of `unrecognized_keys`. */
  readonly keys?: readonly string[] | undefined;
  readonly input?: unknown;
}

/** A text that says something. @param must What the message says of one that is none. */
export function text(must = "must be text") {
  const error = ({ path = [], input }: Issue): string => {
    const name = `"${String(path.at(-1))}"`;
    return input === undefined ? `${name} is missing: it ${must}.` : `${name} ${must}.`;
  };
  return z.string({ error }).min(1, { error });
}

/** Of a text that is all in one line and shows something. */
export const LINE_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f]" +
  "[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** A text of one line that shows something. @param message What a value is refused with. */
export const lineOf = (lengthMax: number, message: string) =>
  z.string({ error: message }).refine((text) => isLine(text) && text.length <= lengthMax, message)
    .openapi({ minLength: 1, maxLength: lengthMax, pattern: LINE_PATTERN });

const LINE = new RegExp(LINE_PATTERN);
const isLine = (text: string): boolean => LINE.test(text) && text.isWellFormed();

/** Of a text without NUL. */
export const WITHOUT_NUL_PATTERN = "^[^\\u0000]*$";

/** As {@linkcode bodyOf}, for a body whose further members are not looked at. */
export const openBodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape, { error: "Send one JSON object." });

/**
 * Why an object with other members than these is refused. A name that is not among them is not
 * repeated: what is confidential may be put there by mistake.
 * @param whole What messages call it. @param otherwise What to say of what is no object.
 */
export const onlyMembers =
  (whole: string, names: readonly string[], otherwise: string) =>
  ({ code, keys: [unknown = ""] = [] }: Issue): string =>
    code === "unrecognized_keys"
      ? `${whole} may have only ${names.join(", ")}.${didYouMean(unknown, names)}`
      : otherwise;

/** A body of these members and no others. */
export const bodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: onlyMembers("The body", Object.keys(shape), "Send one JSON object."),
  });

/** A body of which one message tells all, whatever does not fit. */
export const bodySaying = <Shape extends z.ZodRawShape>(
  message: string,
  shapeOf: (error: string) => Shape,
) => z.strictObject(shapeOf(message), { error: message });
