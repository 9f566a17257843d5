import { exampleOf } from "@/openapi/shared_examples.ts";
import type { Command, CommandOption, CommandTable, OptionType } from "../src/cli/command.ts";
import {
  ALIASES,
  COMMAND_WORDS,
  GROUPS,
  HEADERS_LEFT_OUT,
  LONG_MEMBERS,
  OPTION_NAMES,
  SECRET_MEMBERS,
} from "./words.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": { readonly schema: Schema; readonly example?: unknown };
    };
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

export interface OperationsDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Returns all operations that accept a personal access token. */
export const operationsOf = ({ paths }: OperationsDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((one) => "accountToken" in one))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  );

/** Returns the table. Throws for an operation without words and for duplicate options. */
export function commandTable(document: OperationsDocument): CommandTable {
  const commands = operationsOf(document)
    .filter(({ operation }) => ALIASES[operation.operationId] === undefined)
    .map((one) => commandOf(document, one));
  const groups = Object.keys(GROUPS);
  return {
    groups: GROUPS,
    commands: commands.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group)),
  };
}

function commandOf(
  document: OperationsDocument,
  { method, path, operation }: ReturnType<typeof operationsOf>[number],
): Command {
  const { operationId, requestBody } = operation;
  const [group, verb] = COMMAND_WORDS[operationId]?.split(" ") ?? [];
  if (group === undefined || verb === undefined) {
    throw new Error(`${operationId} has no words: give it some in client/commands/words.ts`);
  }
  const parameters = (operation.parameters ?? []).map((one) => resolveReference(document, one))
    .filter(({ name }) => !HEADERS_LEFT_OUT.includes(name));
  const inPath = parameters.filter((one) => one.in === "path");
  const body = requestBody &&
    resolveReference(document, requestBody.content["application/json"].schema);
  const options = [
    ...[...inPath, ...parameters.filter((one) => one.in !== "path")].map((one) => optionOf(one)),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      memberOption(document, { operationId, name, schema, body: body! })
    ),
  ];
  const names = options.map(({ option }) => option);
  if (new Set(names).size < names.length) {
    throw new Error(`${operationId} has two options: ${names}`);
  }
  const data = dataSchema(document, operation);
  return {
    group,
    verb,
    method,
    path,
    summary: operation.summary,
    description: operation.description,
    options,
    takesBody: body !== undefined,
    isPaged: data?.properties?.nextCursor !== undefined,
    isFile: data === undefined,
    example: `corbel ${group} ${verb}` +
      inPath.map(({ name, example }) => ` --${optionName(name)} ${example}`).join("") +
      (requestBody === undefined ? "" : ` --data ${bodyExample(document, requestBody, options)}`),
  };
}

/** Returns the schema of `data` in the envelope; undefined for an answer without an envelope. */
function dataSchema(document: OperationsDocument, { responses }: Operation): Schema | undefined {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith("2"))!;
  const schema = answer.content?.["application/json"]?.schema;
  const data = schema && resolveReference(document, schema).properties?.data;
  return data && resolveReference(document, data);
}

function optionOf({ name, in: place, required, description, schema }: Parameter): CommandOption {
  return {
    option: optionName(name),
    name,
    in: place,
    type: name === "filter" ? "filter" : typeOf(schema),
    required: required === true,
    description: describe(description ?? "", schema),
    ...(schema.enum && { choices: schema.enum }),
  };
}

function memberOption(
  document: OperationsDocument,
  { operationId, name, schema: given, body }: {
    operationId: string;
    name: string;
    schema: Schema;
    body: Schema;
  },
): CommandOption {
  const schema = resolveReference(document, given);
  const isSecret = [name, `${operationId}.${name}`].some((one) => SECRET_MEMBERS.includes(one));
  return {
    option: optionName(name),
    name,
    in: "body",
    type: isSecret ? "secret" : LONG_MEMBERS.includes(name) ? "long" : typeOf(schema),
    required: body.required?.includes(name) === true,
    description: describe(schema.description ?? "", schema),
    ...(schema.enum && { choices: schema.enum }),
    ...(typesOf(schema).includes("null") && { nullable: true }),
  };
}

const describe = (text: string, schema: Schema): string =>
  schema.default === undefined || typeof schema.default === "object"
    ? text
    : `${text} ${schema.default} if left out.`.trim();

/** Returns the name of an option, such as `include-deleted` for `include_deleted`. */
const optionName = (name: string): string =>
  OPTION_NAMES[name] ??
    name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const typesOf = ({ type = [] }: Schema): readonly string[] =>
  typeof type === "string" ? [type] : type;

function typeOf(schema: Schema): OptionType {
  const [type, ...others] = typesOf(schema).filter((one) => one !== "null");
  if (type === undefined || others.length > 0) return "json";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return schema.items?.type === "string" ? "list" : "json";
  return type === "boolean" ? "boolean" : type === "string" ? "text" : "json";
}

/** Returns an example of `--data`. A body with confidential members is in a file. */
function bodyExample(
  { components }: OperationsDocument,
  { content }: NonNullable<Operation["requestBody"]>,
  options: readonly CommandOption[],
): string {
  if (options.some(({ type }) => type === "secret")) return "@FILE";
  const { schema, example = exampleOf(schema, components.schemas) } = content["application/json"];
  return `'${JSON.stringify(example)}'`;
}

function resolveReference<T extends { readonly $ref?: string }>(
  document: OperationsDocument,
  given: T,
): T {
  let thing = given;
  while (thing.$ref !== undefined) {
    const names = thing.$ref.slice("#/".length).split("/").map((name) =>
      name.replaceAll("~1", "/")
    );
    thing = names.reduce(
      (place, name) => place[name] as Record<string, unknown>,
      document as unknown as Record<string, unknown>,
    ) as unknown as T; // A reference has the same type as its target.
  }
  return thing;
}
