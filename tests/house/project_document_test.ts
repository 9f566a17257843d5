import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import { AUTH_DEFAULTS } from "@/lib/projects/auth_settings.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import { type Audience, AUDIENCES } from "@/openapi/project/operations.ts";
import { definition as anyDefinition } from "../property/collections.ts";

const DEFINITIONS = 200;

/** One for all: to make one takes as long as to look at a document. */
const validator = new Validator();

/** Names that are others' once signs and letter case are gone, and those of our own schemas. */
const NAMES = ["posts", "a-b", "a_b", "ab", "Batch", "document", "list", "Page", "file", "x-"];

const collections: fc.Arbitrary<readonly CollectionDefinition[]> = fc.tuple(
  fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 2 }),
  fc.tuple(anyDefinition, anyDefinition),
).map(([names, [first, second]]) => [
  parseDefinition({ ...first, name: names[0] }),
  parseDefinition({
    ...second,
    name: names[1],
    fields: [
      ...second.fields,
      { key: "of", type: "Ref", ref: names[0] },
      { key: "pictures", type: "Array", items: { type: "String" }, file: true },
    ],
  }),
]);

const settings: fc.Arbitrary<Omit<ProjectFacts, "definitions">> = fc.record({
  projectId: fc.constant("66f1a0c2e4b0a1b2c3d4e5f6"),
  name: fc.string({ minLength: 1, maxLength: 20 }),
  userFields: fc.constant([]),
  auth: fc.record({
    signUp: fc.constantFrom("open", "closed"),
    password: fc.boolean(),
    emailCode: fc.boolean(),
    anonymous: fc.boolean(),
    requireVerifiedEmail: fc.boolean(),
    passwordLengthMin: fc.constant(AUTH_DEFAULTS.passwordLengthMin),
  }),
  providers: fc.subarray(["github", "google"]),
  hasUserUploads: fc.boolean(),
  hasOrigins: fc.boolean(),
});

Deno.test("the documents of 200 random definitions are OpenAPI 3.1, and hold every name once", async () => {
  await fc.assert(
    fc.asyncProperty(
      collections,
      settings,
      fc.constantFrom<Audience>(...AUDIENCES),
      async (definitions, others, audience) => {
        const facts = { ...others, definitions };
        const text = JSON.stringify(projectDocument(facts, { audience, serverUrl: "/" }));
        const { valid, errors } = await validator.validate(JSON.parse(text));
        assert.ok(valid, JSON.stringify(errors));
        assertApart(JSON.parse(text));
      },
    ),
    { numRuns: DEFINITIONS / 2 }, // Each has two.
  );
});

interface Parsed {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** Generators make files and functions of names, in which letter case and signs may not count. */
function assertApart({ paths, components }: Parsed): void {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  for (
    const names of [
      Object.keys(components.schemas),
      operations.map(({ operationId }) => operationId),
    ]
  ) {
    const plain = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
    assert.equal(new Set(plain).size, plain.length, names.toSorted().join(" "));
  }
}

Deno.test("a project with all that a plan allows has a document of bounded size", () => {
  const fields = Array.from({ length: 190 }, (_, i) => ({ key: `field_${i}`, type: "String" }));
  const definitions = Array.from(
    { length: 200 },
    (_, i) => parseDefinition({ name: `collection_${i}`, fields, rls: { mode: "public-read" } }),
  );
  const facts: ProjectFacts = {
    projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
    name: "Large",
    definitions,
    userFields: [],
    auth: AUTH_DEFAULTS,
    providers: [],
    hasUserUploads: true,
    hasOrigins: true,
  };
  const { length } = JSON.stringify(projectDocument(facts, { audience: "client", serverUrl: "/" }));
  assert.ok(length < 64 * 1_048_576, `${length} characters`);
});
