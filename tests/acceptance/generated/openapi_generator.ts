/** Runs OpenAPI Generator from its Python package. It requires Java. */

import { runTool } from "../tools.ts";

export interface GeneratorOptions {
  /** The folder of the installed programs. */
  readonly programs: string;
  readonly language: "python" | "go";
  /** The folder of the document `corbel.json`. */
  readonly folder: string;
  readonly output: string;
  /** Options of this language's generator. The package is named `corbel`. */
  readonly properties: readonly string[];
  readonly flags?: readonly string[];
}

export async function generateClient(
  { programs, language, folder, output, properties, flags = [] }: GeneratorOptions,
): Promise<void> {
  const all = ["packageName=corbel", OPEN_OBJECTS, ...properties];
  const args = ["-g", language, "-i", "corbel.json", "-o", output];
  const options = ["--additional-properties", all.join(), ...STABLE_NAMES, ...SOURCES, ...flags];
  const program = `${programs}/openapi-generator-cli`;
  await runTool([program, "generate", ...args, ...options], { cwd: folder });
}

/** Allows undeclared members in documents. */
const OPEN_OBJECTS = "disallowAdditionalPropertiesIfNotPresent=false";
/** Otherwise a type reuses the name of a similar type, which varies with the project. */
const STABLE_NAMES = ["--inline-schema-options", "SKIP_SCHEMA_REUSE=true"];
const SOURCES = [
  "--global-property",
  ["apiDocs", "apiTests", "modelDocs", "modelTests"].map((part) => `${part}=false`).join(),
];
