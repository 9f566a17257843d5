/** OpenAPI Generator, from the package that brings it to Python. It runs on Java. */

import { runTool } from "../tools.ts";

export interface Generating {
  /** The folder of programs that it was installed into. */
  readonly programs: string;
  readonly language: "python" | "go";
  /** Where the document is, as `corbel.json`. */
  readonly folder: string;
  /** Below it. */
  readonly output: string;
  /** Of this language alone. The package is `corbel`. */
  readonly properties: readonly string[];
  readonly flags?: readonly string[];
}

/** Generates the sources of a client, without its pages and tests. */
export async function generateClient(
  { programs, language, folder, output, properties, flags = [] }: Generating,
): Promise<void> {
  const all = ["packageName=corbel", OPEN_OBJECTS, ...properties];
  const args = ["-g", language, "-i", "corbel.json", "-o", output];
  const options = ["--additional-properties", all.join(), ...STABLE_NAMES, ...SOURCES, ...flags];
  const program = `${programs}/openapi-generator-cli`;
  await runTool([program, "generate", ...args, ...options], { cwd: folder });
}

/** Documents may have members that nobody declared. */
const OPEN_OBJECTS = "disallowAdditionalPropertiesIfNotPresent=false";
/** Else a type that is like another has its name, which changes with what else the project has. */
const STABLE_NAMES = ["--inline-schema-options", "SKIP_SCHEMA_REUSE=true"];
const SOURCES = [
  "--global-property",
  ["apiDocs", "apiTests", "modelDocs", "modelTests"].map((part) => `${part}=false`).join(),
];
