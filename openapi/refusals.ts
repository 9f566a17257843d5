import { STATUS_CODES } from "node:http";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { isStoragePath } from "@/lib/http/path.ts";
import { problemBody } from "@/lib/http/respond.ts";
import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";

export interface RefusalSource {
  readonly path: string;
  readonly codes: readonly ProblemCode[];
  /** Whether statuses of a class share an answer, such as `4XX`. The code identifies the status. */
  readonly byClass?: boolean;
}

/** The problems that one operation answers with one status or one class of statuses. */
interface Refusal {
  /** `404`, or `4XX`. */
  readonly status: string;
  /** Codes in the order of the catalogue. */
  readonly codes: readonly [ProblemCode, ...ProblemCode[]];
  /** Whether the refusal repeats its message as `error`, as refusals about files do. */
  readonly hasError: boolean;
}

const CATALOGUE = Object.keys(PROBLEMS) as ProblemCode[];

function groupRefusals({ path, codes, byClass = false }: RefusalSource): Refusal[] {
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

/** Returns the name of a response component; for several codes, the status and a short hash. */
function responseName({ status, codes, hasError }: Refusal): string {
  const name = codes.length === 1 ? codes[0] : `${status}.${sha256(codes.join()).slice(0, 4)}`;
  return name + (hasError ? ".storage" : "");
}

const componentReference = (kind: "schemas" | "examples" | "responses", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

export const refusalReferences = (operation: RefusalSource): Record<string, { $ref: string }> =>
  Object.fromEntries(
    groupRefusals(operation).map((one) => [
      one.status,
      componentReference("responses", responseName(one)),
    ]),
  );

/** Returns the components that {@linkcode refusalReferences} of these operations refer to. */
export function refusalComponents(operations: readonly RefusalSource[]) {
  const all = operations.flatMap(groupRefusals);
  const examples = all.flatMap(({ codes, hasError }) =>
    codes.map((code) => [
      exampleName(code, hasError),
      {
        summary: PROBLEMS[code].when,
        value: problemBody({ code, message: PROBLEMS[code].message }, { inStorage: hasError }),
      },
    ])
  );
  return {
    schemas: {
      [schemaName({ hasError: false })]: refusalSchema(false),
      [schemaName({ hasError: true })]: refusalSchema(true),
    },
    examples: Object.fromEntries(examples) as Record<string, { value: unknown }>,
    responses: Object.fromEntries(all.map((one) => [responseName(one), refusalResponse(one)])),
  };
}

const refusalSchema = (hasError: boolean) => ({
  type: "object" as const,
  description: "The answer to a request that is refused or fails.",
  properties: {
    success: { type: "boolean" as const, description: "`false`." },
    data: { type: "object" as const, additionalProperties: false },
    message: { type: "string" as const, description: "What to do, for a person." },
    ...(hasError && { error: { type: "string" as const, description: "The message again." } }),
    code: {
      type: "string" as const,
      description:
        "The problem, for a program. /docs/errors lists each code, its cause and what to do.",
    },
    ...(!hasError && {
      operation: {
        type: "integer" as const,
        description: "In a batch: the index of the operation that was refused.",
      },
      faults: {
        type: "array" as const,
        description: "The first invalid members of the request, by their paths.",
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

/** Returns a response component. All operations share its examples, which state the causes. */
const refusalResponse = ({ status, codes, hasError }: Refusal) => ({
  // `STATUS_CODES` does not have 460, which only resumable uploads use.
  description: CLASSES[status] ?? STATUS_CODES[status] ?? codes.join(", "),
  content: {
    "application/json": {
      schema: {
        allOf: [
          componentReference("schemas", schemaName({ hasError })),
          { properties: { code: { type: "string" as const, enum: [...codes] } } },
        ],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, componentReference("examples", exampleName(code, hasError))]),
      ),
    },
  },
});
