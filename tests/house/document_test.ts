import assert from "node:assert/strict";
import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";
import { buildDocument, CONTRACTS } from "@/openapi/document.ts";
import { generateFiles } from "@/openapi/generate.ts";
import { exampleOf } from "@/openapi/shared_examples.ts";
import { lastName, parametersOf } from "@/openapi/shared_parts.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly example?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { required?: boolean; content: Record<string, Content> };
  readonly responses: Record<string, Declared | { readonly $ref: string }>;
}

interface Declared {
  readonly description: string;
  readonly content?: Record<string, Content>;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Record<string, unknown>;
}

const document = buildDocument() as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, { summary: string; value: { code: string } }>;
    responses: Record<string, Declared>;
    parameters: Record<string, Parameter>;
    securitySchemes: Record<string, unknown>;
  };
  tags: readonly { name: string }[];
  "x-tagGroups": readonly { name: string; tags: readonly string[] }[];
};

const OPERATIONS = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.values(operations).map((operation) => ({ path, operation }))
);

/** Returns the responses of an operation, including those that are components. */
const responsesOf = ({ responses }: Operation): [string, Declared][] =>
  Object.entries(responses).map(([status, one]) => [
    status,
    "$ref" in one ? document.components.responses[lastName(one.$ref)]! : one,
  ]);

Deno.test("every problem response is a component, with an example of each of its problems", () => {
  for (const { operation } of OPERATIONS) {
    const { codes } = CONTRACTS.find(({ operationId }) => operationId === operation.operationId)!;
    const shown: string[] = [];
    for (const [status, one] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      assert.ok("$ref" in one, `${operation.operationId} ${status}`);
    }
    for (const [status, { content }] of responsesOf(operation)) {
      if (Number(status) < 400) continue;
      const examples = content!["application/json"]!.examples as Record<string, { $ref: string }>;
      for (const [code, { $ref }] of Object.entries(examples)) {
        const { summary, value } = document.components.examples[lastName($ref)]!;
        assert.equal(value.code, code);
        assert.equal(summary, PROBLEMS[code as ProblemCode].when);
        shown.push(code);
      }
    }
    assert.deepEqual(shown.toSorted(), codes.toSorted(), operation.operationId);
  }
});

Deno.test("the document is small enough for a browser", () => {
  // Measured as it is served; the file also has line breaks and indentation for comparisons.
  const { length } = JSON.stringify(document);
  assert.ok(length <= 600_000, `${length} characters`);
});

Deno.test("no schema both admits and excludes null", () => {
  JSON.stringify(document, (_key, value) => {
    // A referenced schema that is made nullable could cause this.
    const parts: { type?: unknown }[] = value?.allOf ?? [];
    for (const { type } of parts) {
      assert.ok(!Array.isArray(type) || !type.includes("null"), JSON.stringify(value));
    }
    return value;
  });
});

Deno.test("committed generated files match the code", async () => {
  for (const [url, text] of await generateFiles()) {
    const name = url.pathname.split("/").slice(-2).join("/");
    assert.ok(await Deno.readTextFile(url) === text, `${name}: run deno task openapi`);
  }
});

Deno.test("the document contains exactly the contracts", () => {
  assert.deepEqual(
    OPERATIONS.map(({ operation }) => operation.operationId).toSorted(),
    CONTRACTS.map(({ operationId }) => operationId).toSorted(),
  );
});

Deno.test("every operation says who may call it, also if that is anyone", () => {
  const schemes = Object.keys(document.components.securitySchemes);
  for (const { operation: { operationId, security } } of OPERATIONS) {
    assert.ok(Array.isArray(security), `${operationId} has no security`);
    for (const name of security.flatMap((one) => Object.keys(one))) {
      assert.ok(schemes.includes(name), `${operationId} needs "${name}", which is not described`);
    }
  }
});

Deno.test("every operation has a summary, a description, a known tag and described parameters", () => {
  const tags = document.tags.map(({ name }) => name);
  for (const { operation } of OPERATIONS) {
    const { operationId, summary, description } = operation;
    const parameters = parametersOf(document, operation.parameters);
    assert.ok(summary && description, `${operationId} has no summary or description`);
    assert.ok(operation.tags.every((tag) => tags.includes(tag)), `${operationId} has a lone tag`);
    for (const { name, description } of parameters) {
      assert.ok(description, `${operationId}: "${name}" has no description`);
    }
  }
});

Deno.test("exactly the parameters of the path are declared", () => {
  for (const { path, operation: { operationId, parameters: declared } } of OPERATIONS) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = parametersOf(document, declared);
    const named = parameters.filter((one) => one.in === "path").map(({ name }) => name);
    assert.deepEqual(named.toSorted(), inPath.toSorted(), operationId);
  }
});

/** Returns whether a body or response has an example, in place or in its schema. */
const hasExample = ({ example, examples, schema }: Content): boolean =>
  examples !== undefined ||
  (example ?? exampleOf(schema, document.components.schemas)) !== undefined;

Deno.test("every body says whether it is required and has an example, and so does every JSON answer", () => {
  const RAW = new Set(
    CONTRACTS.filter(({ rawBody }) => rawBody !== undefined).map((one) => one.operationId),
  );
  const optional = CONTRACTS.filter(({ body }) => body?.optional === true);
  const mayBeEmpty = new Set(optional.map(({ operationId }) => operationId));
  for (const { operation } of OPERATIONS) {
    const { operationId, requestBody } = operation;
    if (requestBody !== undefined) {
      assert.equal(requestBody.required, !mayBeEmpty.has(operationId), operationId);
      const { "application/json": json } = requestBody.content;
      const isRaw = RAW.has(operationId);
      assert.equal(json === undefined || !hasExample(json), isRaw, operationId);
    }
    for (const [status, { description, content = {} }] of responsesOf(operation)) {
      assert.ok(description, `${operationId} ${status}`);
      for (const one of Object.values(content)) {
        assert.ok(hasExample(one), `${operationId} ${status}`);
      }
    }
  }
});

Deno.test("every example of a contract is in the document, in place or in a schema", () => {
  const { schemas } = document.components;
  let left = 0;
  for (const { operation } of OPERATIONS) {
    const { body, success } = CONTRACTS.find((one) => one.operationId === operation.operationId)!;
    const sees = (content: Record<string, Content> | undefined, expected: unknown) => {
      const { example, schema } = content!["application/json"]!;
      if (example === undefined) left++;
      assert.deepEqual(example ?? exampleOf(schema, schemas), expected, operation.operationId);
    };
    if (body !== undefined) sees(operation.requestBody!.content, body.example);
    for (const { status, data, duplicatedMembers: members, content, example, message } of success) {
      if (data === null || members !== undefined || content !== undefined) continue;
      const { content: answered } = operation.responses[String(status)] as Declared;
      sees(answered, { success: true, data: example, message });
    }
  }
  assert.ok(left > 150, `${left} are left to schemas`);
});

Deno.test("every schema of the document has an example or a description", () => {
  const { schemas } = document.components;
  const contents = OPERATIONS.flatMap(({ operation }) => responsesOf(operation))
    .flatMap(([, { content = {} }]) => Object.values(content));
  const shown = contents.filter(hasExample).map(({ schema }) => lastName(schema.$ref ?? ""));
  const bare = Object.entries(schemas)
    .filter(([, one]) => !one.description && exampleOf(one, schemas) === undefined);
  assert.deepEqual(bare.map(([name]) => name).filter((name) => !shown.includes(name)), []);
});

Deno.test("answers and bodies have named schemas, and envelopes admit no other members", () => {
  for (const { operation } of OPERATIONS) {
    const { operationId } = operation;
    for (const [status, { content }] of responsesOf(operation)) {
      const json = content?.["application/json"] as { schema: { $ref?: string } } | undefined;
      const schema = json?.schema;
      if (schema === undefined || Number(status) >= 400) continue;
      if (WITHOUT_NAMED_SCHEMA.has(operationId)) continue;
      const name = schema.$ref?.split("/").at(-1);
      const named = document.components.schemas[name!] as Envelope;
      assert.ok(named, `${operationId} ${status}`);
      if (named.properties?.success !== undefined) {
        assert.equal(named.additionalProperties, false, name);
      }
    }
    const body = operation.requestBody?.content["application/json"] as
      | { schema: { $ref?: string } }
      | undefined;
    if (body !== undefined) assert.ok(body.schema.$ref, operationId);
  }
});

/** Operations whose answers follow other standards: JWKS and OpenAPI documents. */
const WITHOUT_NAMED_SCHEMA = new Set(["getJwks", "getOpenApi", "getProjectOpenApi"]);

interface Envelope {
  readonly properties?: Record<string, unknown>;
  readonly additionalProperties?: unknown;
}

Deno.test("every operation is in a group, by its callers", () => {
  const groups = document["x-tagGroups"];
  assert.deepEqual(groups.map(({ name }) => name), ["Your app", "Your server", "Owners", "Server"]);
  assert.deepEqual(groups.flatMap(({ tags }) => tags), document.tags.map(({ name }) => name));
});
