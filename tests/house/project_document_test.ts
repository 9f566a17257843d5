import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import { AUTH_DEFAULTS } from "@/lib/projects/auth_settings.ts";
import { nextTurn } from "@/lib/next_turn.ts";
import { documentText } from "@/openapi/project/text.ts";
import { projectDocument } from "@/openapi/project/document.ts";
import { type Audience, AUDIENCES } from "@/openapi/project/operations.ts";
import { definition as anyDefinition } from "../property/collections.ts";

const DEFINITIONS = 200;

/** Shared by all tests, because creating a validator takes as long as validating a document. */
const validator = new Validator();

/** Names that collide without signs and letter case, and names of our own schemas. */
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

Deno.test("the documents of 200 random definitions are valid OpenAPI 3.1 without duplicate names", async () => {
  await fc.assert(
    fc.asyncProperty(
      collections,
      settings,
      fc.constantFrom<Audience>(...AUDIENCES),
      async (definitions, others, audience) => {
        const facts = { ...others, definitions };
        const document = await projectDocument(facts, { audience, serverUrl: "/" });
        const text = await documentText(document);
        assert.equal(text, JSON.stringify(document));
        const { valid, errors } = await validator.validate(JSON.parse(text));
        assert.ok(valid, JSON.stringify(errors));
        assertApart(JSON.parse(text));
      },
    ),
    { numRuns: DEFINITIONS / 2 }, // Each run has two definitions.
  );
});

interface Parsed {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** Fails if names differ only in case or signs: generators create files from them. */
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

const LARGE: Omit<ProjectFacts, "definitions"> = {
  projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
  name: "Large",
  userFields: [],
  auth: AUTH_DEFAULTS,
  providers: [],
  hasUserUploads: true,
  hasOrigins: true,
};

const OPTIONS = { audience: "client", serverUrl: "/" } as const;
const TYPES = ["String", "Number", "Boolean", "Date"] as const;

/** Creates collections that refer to each other, with different fields. */
const createCollections = (count: number, fields: number): CollectionDefinition[] =>
  Array.from({ length: count }, (_, i) =>
    parseDefinition({
      name: `things_${i}`,
      rls: { mode: i % 2 === 0 ? "private" : "public-read" },
      fields: Array.from({ length: fields }, (_, j) => ({
        key: `member_${i}_${j}`,
        ...(j === 0
          ? { type: "Ref", ref: `things_${(i * 7 + 1) % count}` }
          : { type: TYPES[(i + j) % 4]!, required: j % 3 === 0 }),
      })),
    }));

Deno.test("a project with all that a plan allows has a document of bounded size", async () => {
  const document = await projectDocument(
    { ...LARGE, definitions: createCollections(200, 190) },
    OPTIONS,
  );
  const { length } = await documentText(document);
  assert.ok(length < 40 * 1_048_576, `${length} characters`);
});

Deno.test("a document of 300 collections is valid OpenAPI 3.1 of at most 7 MB, made in slices", async () => {
  const facts = { ...LARGE, definitions: createCollections(300, 10) };
  let turns = 0;
  const ended = new AbortController();
  const other = (async () => {
    for (; !ended.signal.aborted; turns++) await nextTurn();
  })();
  const text = await documentText(await projectDocument(facts, OPTIONS));
  ended.abort();
  await other;
  assert.ok(turns > 40, `other work had ${turns} turns`);
  assert.ok(text.length <= 7_000_000, `${text.length} characters`);
  const document = JSON.parse(text);
  const { valid, errors } = await validator.validate(document);
  assert.ok(valid, JSON.stringify(errors));
  assertApart(JSON.parse(text));
});

interface Declared {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly responses: Record<string, { readonly $ref?: string }>;
}

interface Components {
  readonly parameters: Record<string, { readonly name: string }>;
  readonly responses: Record<string, { content: Record<string, { examples: object }> }>;
}

const lastOf = ($ref: string): string => $ref.split("/").at(-1)!;

const codesOf = ({ responses }: Declared, components: Components): string[] =>
  Object.entries(responses).filter(([status]) => /^[45]/.test(status)).flatMap(([, { $ref }]) =>
    Object.keys(components.responses[lastOf($ref!)]!.content["application/json"]!.examples)
  );

const filtersOf = ({ parameters = [] }: Declared, components: Components): Set<string> =>
  new Set(
    parameters.map(({ name, $ref }) => name ?? components.parameters[lastOf($ref!)]!.name),
  );

Deno.test("a document of many collections has the same contents per collection as one of few", async () => {
  const definitions = createCollections(120, 10);
  const large = await projectDocument({ ...LARGE, definitions }, OPTIONS);
  const chosen = ["things_3", "things_22"];
  const small = await projectDocument({ ...LARGE, definitions }, { ...OPTIONS, chosen });
  const [largeText, smallText] = [JSON.stringify(large), JSON.stringify(small)];
  assert.ok(smallText.length < 1_000_000, `${smallText.length} characters`);
  assert.ok(!smallText.includes("Things4"), "unselected collections are left out");
  const [all, few] = [JSON.parse(largeText), JSON.parse(smallText)];
  let looked = 0;
  for (const [path, item] of Object.entries<Record<string, Declared>>(few.paths)) {
    if (!path.startsWith("/api/data/")) continue;
    for (const [method, operation] of Object.entries(item)) {
      looked++;
      const other = all.paths[path][method] as Declared;
      assert.deepEqual(
        codesOf(other, all.components).toSorted(),
        codesOf(operation, few.components).toSorted(),
        path,
      );
      const names = filtersOf(operation, few.components);
      const kept = filtersOf(other, all.components);
      for (const name of kept) assert.ok(names.has(name), `${path}: ${name}`);
      if (!names.has("where") || method !== "get") continue;
      const [, i] = path.match(/things_(\d+)/)!;
      for (let j = 0; j < 10; j++) assert.ok(kept.has(`member_${i}_${j}`), `${path}: ${j}`);
    }
  }
  assert.ok(looked > 10, `${looked} operations`);
  const { properties } = few.components.schemas.Things3Document;
  assert.deepEqual(all.components.schemas.Things3Document.properties, properties);
  assert.deepEqual(few.components.schemas.Things3ShownDocument.properties.member_3_0.anyOf[1], {
    $ref: "#/components/schemas/Things22ShownDocument",
  });
  assert.deepEqual(few.components.schemas.Things22ShownDocument.properties.member_22_0.anyOf[1], {
    $ref: "#/components/schemas/Document",
    description: "A document of `things_35`.",
  });
});
