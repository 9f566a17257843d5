import { STATUS_CODES } from "node:http";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { isStoragePath } from "@/lib/http/path.ts";
import { refusalBody } from "@/lib/http/respond.ts";
import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";

/** An operation, as far as its refusals follow from it. */
export interface Refusing {
  readonly path: string;
  readonly codes: readonly ProblemCode[];
  /**
   * Whether statuses of one class are one answer, `4XX` or `5XX`: the code of a problem tells its
   * status as well.
   */
  readonly byClass?: boolean;
}

/** The problems that one operation answers with one status, or with those of one class. */
interface Refusal {
  /** `404`, or `4XX`. */
  readonly status: string;
  /** In the order of the catalogue. */
  readonly codes: readonly [ProblemCode, ...ProblemCode[]];
  /** Whether the refusal repeats its message as `error`, as those about files do. */
  readonly hasError: boolean;
}

const CATALOGUE = Object.keys(PROBLEMS) as ProblemCode[];

function refusalsOf({ path, codes, byClass = false }: Refusing): Refusal[] {
  const hasError = isStoragePath(path);
  const byStatus = Map.groupBy(
    CATALOGUE.filter((code) => codes.includes(code)),
    (code) => {
      const status = String(PROBLEMS[code].status);
      return byClass ? `${status[0]}XX` : status;
    },
  );
  return [...byStatus].sort(([a], [b]) => a < b ? -1 : 1).map(([status, group]) => ({
    status,
    codes: group as [ProblemCode, ...ProblemCode[]],
    hasError,
  }));
}

const schemaName = ({ hasError }: Pick<Refusal, "hasError">): string =>
  hasError ? "StorageRefusal" : "Refusal";

const exampleName = (code: ProblemCode, hasError: boolean): string =>
  hasError ? `${code}.storage` : code;

/**
 * One component for each problem, and one for each set of them that shares a status somewhere. Their
 * names stand in the document hundreds of times: that of a set is its status, and which by its hash.
 */
function responseName({ status, codes, hasError }: Refusal): string {
  const name = codes.length === 1 ? codes[0] : `${status}.${sha256(codes.join()).slice(0, 4)}`;
  return name + (hasError ? ".storage" : "");
}

const reference = (kind: "schemas" | "examples" | "responses", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Refusals of an operation by their statuses. */
export const refusalReferences = (operation: Refusing): Record<string, { $ref: string }> =>
  Object.fromEntries(
    refusalsOf(operation).map((one) => [
      one.status,
      reference("responses", responseName(one)),
    ]),
  );

/** What {@linkcode refusalReferences} of these operations refer to. */
export function refusalComponents(operations: readonly Refusing[]) {
  const all = operations.flatMap(refusalsOf);
  const examples = all.flatMap(({ codes, hasError }) =>
    codes.map((code) => [
      exampleName(code, hasError),
      {
        summary: PROBLEMS[code].when,
        value: refusalBody({ code, message: PROBLEMS[code].message }, { inStorage: hasError }),
      },
    ])
  );
  return {
    schemas: {
      [schemaName({ hasError: false })]: refusalSchema(false),
      [schemaName({ hasError: true })]: refusalSchema(true),
    },
    examples: Object.fromEntries(examples) as Record<string, { value: unknown }>,
    responses: Object.fromEntries(all.map((one) => [responseName(one), response(one)])),
  };
}

const refusalSchema = (hasError: boolean) => ({
  type: "object" as const,
  description: "An answer that is no success.",
  properties: {
    success: { type: "boolean" as const, description: "`false`." },
    data: { type: "object" as const, additionalProperties: false },
    message: { type: "string" as const, description: "What to do, for a person." },
    ...(hasError && { error: { type: "string" as const, description: "The message again." } }),
    code: {
      type: "string" as const,
      description:
        "What it is, for a program. /docs/errors has each with its cause and what to do.",
    },
    ...(!hasError && {
      operation: {
        type: "integer" as const,
        description: "Of a batch: the index of the operation that was refused.",
      },
      faults: {
        type: "array" as const,
        description: "Of what was sent: the first members that do not fit, by their paths.",
        items: {
          type: "object" as const,
          properties: { path: { type: "string" as const }, message: { type: "string" as const } },
          required: ["path", "message"],
          additionalProperties: false,
        },
      },
    }),
  },
  required: ["success", "data", "message", ...(hasError ? ["error"] : []), "code"],
  additionalProperties: false,
});

const CLASSES: Readonly<Record<string, string>> = { "4XX": "Refused", "5XX": "Not done" };

/** Its examples say what causes each: those of all operations share them. */
const response = ({ status, codes, hasError }: Refusal) => ({
  // 460 is of resumable uploads alone.
  description: CLASSES[status] ?? STATUS_CODES[status] ?? codes.join(", "),
  content: {
    "application/json": {
      schema: {
        allOf: [
          reference("schemas", schemaName({ hasError })),
          { properties: { code: { type: "string" as const, enum: [...codes] } } },
        ],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, reference("examples", exampleName(code, hasError))]),
      ),
    },
  },
});
