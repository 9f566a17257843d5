import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import type { CollectionInContext } from "./collection_schemas.ts";
import { projectSchemas } from "./document.ts";
import { type Components, type JsonSchema, referredName } from "./json_schema.ts";
import { SUFFIXES } from "./names.ts";
import type { Audience } from "./operations.ts";

export { AUDIENCES } from "./operations.ts";

/** The types of a project's documents and users as one TypeScript file, for `createClient<Project>`. */
export function projectTypes(facts: ProjectFacts, audience: Audience): string {
  const { collections, schemas } = projectSchemas(facts, audience);
  const parts = ["document", "create", "replace", "patch", "where"] as const;
  const roots = [
    ...collections.flatMap(({ name: { type } }) => parts.map((part) => type + SUFFIXES[part])),
    ...USERS,
    "PopulatedFile",
  ];
  return [
    `// Types of the project ${
      oneLine(facts.name)
    }. Made from its definitions: make it anew rather than change it.\n`,
    ...withReferred(roots, schemas).map((name) => declaration(name, schemas[name]!)),
    projectDeclaration(collections),
  ].join("\n");
}

const USERS = ["User", "PublicUser", "SignUp", "UserChanges"] as const;

/** Without what ends a line in TypeScript, though not in JSON. */
const oneLine = (text: string): string => JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, " ");

/** These schemas and all that they refer to, each once. */
function withReferred(roots: readonly string[], schemas: Components): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, inner] of JSON.stringify(schemas[name]).matchAll(REFERENCE)) visit(inner!);
  };
  for (const root of roots) visit(root);
  return [...found];
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

function declaration(name: string, schema: JsonSchema): string {
  const text = typeText(schema, "");
  const declared = text.startsWith("{") && schema.type === "object"
    ? `export interface ${name} ${text}\n`
    : `export type ${name} = ${text};\n`;
  return `${comment(schema.description, "")}${declared}`;
}

/** The type that `createClient` takes. */
function projectDeclaration(collections: readonly CollectionInContext[]): string {
  const ofCollections = collections.map(({ definition, name: { type }, ...collection }) => {
    const parts = ["document", "create", "replace", "patch", "where"] as const;
    return [
      `    ${memberName(definition.name)}: {`,
      ...parts.map((part) => `      ${part}: ${type}${SUFFIXES[part]};`),
      `      populated: {${populatedMembers({ definition, ...collection })}};`,
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

/** What `populate` puts in the place of members, by its paths: the name of a collection, of users or files. */
function populatedMembers(
  { definition, referrers }: Pick<CollectionInContext, "definition" | "referrers">,
): string {
  const own = definition.fields.flatMap(({ key, ref, items, file }) => {
    const target = ref ?? items?.ref ?? (file ? "files" : undefined);
    return target === undefined ? [] : [`${memberName(key)}: ${JSON.stringify(target)}`];
  });
  const others = referrers.map(({ collection, field }) =>
    `${JSON.stringify(`${collection}(${field})`)}: ${JSON.stringify(collection)}`
  );
  const all = [...own, ...others];
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
        return one; // TypeScript calls the others as JSON does.
    }
  }).join(" | ");
}

function objectText(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  indent: string,
): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) =>
    comment(schema.description, inner) +
    `${inner}${memberName(name)}${required.includes(name) ? "" : "?"}: ${typeText(schema, inner)};`
  );
  if (typeof additionalProperties === "object" || additionalProperties === true) {
    const value = additionalProperties === true ? {} : additionalProperties;
    members.push(`${inner}[name: string]: ${typeText(value, inner)};`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join("\n")}\n${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const lines = text.replaceAll("*/", "* /").split("\n");
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${
      lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")
    }\n${indent} */\n`;
}
