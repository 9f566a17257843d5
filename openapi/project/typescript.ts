import { inSlices } from "@/lib/next_turn.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import type { CollectionInContext } from "./collection_schemas.ts";
import { projectSchemas, type SchemaOptions } from "./document.ts";
import { type Components, type JsonSchema, referredName } from "./json_schema.ts";
import { SUFFIXES } from "./names.ts";

export { AUDIENCES } from "./operations.ts";

/** Returns types for `createClient<Project>`. Works in slices, between other requests. */
export async function projectTypes(facts: ProjectFacts, options: SchemaOptions): Promise<string> {
  const { collections, schemas } = await projectSchemas(facts, options);
  const parts = ["document", "create", "replace", "patch", "where"] as const;
  const roots = [
    ...collections.flatMap(({ name: { type } }) => parts.map((part) => type + SUFFIXES[part])),
    ...USER_SCHEMAS,
    "PopulatedFile",
  ];
  const declarations: string[] = [];
  await inSlices(reachableSchemas(roots, schemas), (name) => {
    declarations.push(declaration(name, schemas[name]!));
  });
  return [
    `// Types of the project ${
      oneLine(facts.name)
    }. Generated from its definitions: generate it again instead of editing it.\n`,
    ...declarations,
    projectDeclaration(collections),
  ].join("\n");
}

const USER_SCHEMAS = ["User", "PublicUser", "SignUp", "UserChanges"] as const;

/** Returns a JSON string without the characters that end a line in TypeScript but not in JSON. */
const oneLine = (text: string): string => JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, " ");

/** Yields these schemas and all schemas that they refer to, each once. */
function* reachableSchemas(roots: readonly string[], schemas: Components): Generator<string> {
  const found = new Set(roots);
  // Iterating a set also visits values that are added during the iteration.
  for (const name of found) {
    for (const [, inner] of JSON.stringify(schemas[name]).matchAll(REFERENCE)) found.add(inner!);
    yield name;
  }
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

function declaration(name: string, schema: JsonSchema): string {
  const text = typeText(schema, "");
  const declared = text.startsWith("{") && schema.type === "object"
    ? `export interface ${name} ${text}\n`
    : `export type ${name} = ${text};\n`;
  return `${docComment(schema.description, "")}${declared}`;
}

function projectDeclaration(collections: readonly CollectionInContext[]): string {
  const known = new Set([
    ...collections.map(({ definition }) => definition.name),
    "users",
    "files",
  ]);
  const ofCollections = collections.map(({ definition, name: { type }, ...collection }) => {
    const parts = ["document", "create", "replace", "patch", "where"] as const;
    return [
      `    ${memberName(definition.name)}: {`,
      ...parts.map((part) => `      ${part}: ${type}${SUFFIXES[part]};`),
      `      populated: {${populatedMembers({ definition, ...collection }, known)}};`,
      "    };",
    ].join("\n");
  });
  return [
    "export interface Project {",
    "  collections: {",
    ...ofCollections,
    "  };",
    "  user: User;",
    "  publicUser: PublicUser;",
    "  signUp: SignUp;",
    "  userChanges: UserChanges;",
    "}\n",
  ].join("\n");
}

/** Returns a type of the paths of `populate`. @param known Names that the file has types of. */
function populatedMembers(
  { definition, referrers }: Pick<CollectionInContext, "definition" | "referrers">,
  known: ReadonlySet<string>,
): string {
  const own = definition.fields.map(({ key, ref, items, file }) =>
    [memberName(key), ref ?? items?.ref ?? (file ? "files" : "")] as const
  );
  const others = referrers.map(({ collection, field }) =>
    [JSON.stringify(`${collection}(${field})`), collection] as const
  );
  const all = [...own, ...others].filter(([, target]) => known.has(target))
    .map(([path, target]) => `${path}: ${JSON.stringify(target)}`);
  return all.length === 0 ? "" : ` ${all.join("; ")} `;
}

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

const memberName = (name: string): string => isName(name) ? name : JSON.stringify(name);

function typeText(schema: JsonSchema, indent: string): string {
  const { anyOf, type, items, const: value, enum: values } = schema;
  const name = referredName(schema);
  if (name !== null) return name;
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (anyOf !== undefined) return anyOf.map((one) => typeText(one, indent)).join(" | ");
  const types = typeof type === "string" ? [type] : type ?? [];
  if (types.length === 0) return "unknown";
  return types.map((one) => {
    switch (one) {
      case "integer":
        return "number";
      case "array":
        return `Array<${typeText(items ?? {}, indent)}>`;
      case "object":
        return objectText(schema, indent);
      default:
        return one; // Other types have the same names in TypeScript.
    }
  }).join(" | ");
}

function objectText(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  indent: string,
): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) =>
    docComment(schema.description, inner) +
    `${inner}${memberName(name)}${required.includes(name) ? "" : "?"}: ${typeText(schema, inner)};`
  );
  if (typeof additionalProperties === "object" || additionalProperties === true) {
    const value = additionalProperties === true ? {} : additionalProperties;
    members.push(`${inner}[name: string]: ${typeText(value, inner)};`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join("\n")}\n${indent}}`;
}

function docComment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const lines = text.replaceAll("*/", "* /").split("\n");
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${
      lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")
    }\n${indent} */\n`;
}
