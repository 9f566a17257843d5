/** Removes examples that can be derived from the examples of schemas. */

import { lastName } from "./shared_parts.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  example?: unknown;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Content {
  readonly schema: Schema;
  example?: unknown;
}

interface BodyOrResponse {
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly requestBody?: BodyOrResponse;
  readonly responses: Readonly<Record<string, BodyOrResponse>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

/** Returns an example made of its parts' examples, or undefined. @param ancestors Detect cycles. */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  ancestors: readonly Schema[] = [],
): unknown {
  const known = schema.$ref === undefined ? schema : schemas[lastName(schema.$ref)]!;
  if (known.example !== undefined) return known.example;
  return ancestors.includes(known)
    ? undefined
    : exampleOfParts(known, schemas, [...ancestors, known]);
}

function exampleOfParts(
  { type, properties, items, anyOf }: Schema,
  schemas: Schemas,
  ancestors: readonly Schema[],
): unknown {
  if (type === "boolean") return true;
  if (anyOf !== undefined) return exampleOf(anyOf[0]!, schemas, ancestors);
  if (items !== undefined) {
    const item = exampleOf(items, schemas, ancestors);
    return item === undefined ? undefined : [item];
  }
  if (properties === undefined) return undefined;
  const members = Object.entries(properties)
    .map(([name, one]) => [name, exampleOf(one, schemas, ancestors)]);
  if (members.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(members);
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Removes examples that the parts already show. A message becomes an example of its member. */
export function shareExamples<T extends object>(given: T): T {
  const { paths, components: { schemas } } = given as unknown as Document;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  for (const { requestBody, responses } of operations) {
    for (const { content } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const one of Object.values(content ?? {})) shareExample(one, schemas);
    }
  }
  for (const schema of Object.values(schemas)) {
    if (isSame(schema.example, exampleOfParts(schema, schemas, [schema]))) delete schema.example;
  }
  return given;
}

function shareExample(content: Content, schemas: Schemas): void {
  const { schema: { $ref = "" }, example } = content;
  const schema = schemas[lastName($ref)];
  if (schema === undefined) return;
  const { properties, example: own } = schema;
  const { message } = example as { readonly message?: string };
  // No other operation uses an answer's schema, so its message can go there.
  const isAnswer = own === undefined && message !== undefined && properties?.message !== undefined;
  const known = isAnswer
    ? {
      ...schema,
      properties: { ...properties, message: { ...properties.message, example: message } },
    }
    : schema;
  if (!isSame(exampleOf(known, schemas), example)) return;
  Object.assign(schema, known);
  delete content.example;
}
