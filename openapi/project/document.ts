import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { inSlices } from "@/lib/next_turn.ts";
import { isStoragePath } from "@/lib/http/path.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import { refusalComponents, refusalReferences, type Refusing } from "../refusals.ts";
import { parametersOf } from "../shared_parts.ts";
import { Assembly } from "./assembly.ts";
import { inBrief } from "./brief.ts";
import {
  CHANGES,
  type CollectionInContext,
  collectionSchemas,
  OPERATORS,
  referrersByTarget,
  shownName,
} from "./collection_schemas.ts";
import { CollectionCopies } from "./collection_copies.ts";
import { FILE } from "./field_schemas.ts";
import { CONDITIONS, filterParameters, FILTERS, OPERANDS } from "./filters.ts";
import { generalParts, type Operation, placeOf } from "./general.ts";
import { type Components, type JsonSchema, refTo } from "./json_schema.ts";
import { typeNames } from "./names.ts";
import {
  type Audience,
  collectionOperations,
  type ProjectOperation,
  sharedOperations,
} from "./operations.ts";
import { userSchemas } from "./user_schemas.ts";

/** The collections of a project, and every schema that there may be a reference to. */
export interface ProjectSchemas {
  readonly collections: readonly CollectionInContext[];
  readonly schemas: Components;
}

export interface SchemaOptions {
  readonly audience: Audience;
  /**
   * Names of the collections that have schemas of their own, all of the project if left out. Where
   * they refer to another one, its documents may hold anything.
   */
  readonly chosen?: readonly string[] | undefined;
}

export async function projectSchemas(
  { definitions, userFields }: Pick<ProjectFacts, "definitions" | "userFields">,
  { audience, chosen = definitions.map(({ name }) => name) }: SchemaOptions,
): Promise<ProjectSchemas> {
  const general = generalParts().document.components.schemas;
  const shared: Components = {
    ...general,
    ...OPERATORS,
    ...CHANGES,
    ...CONDITIONS,
    ...FILTERS,
    ...OPERANDS,
    [FILE]: withoutOwner(general.StoredFile!),
    ...userSchemas(general, userFields),
  };
  const names = typeNames(definitions.map(({ name }) => name), Object.keys(shared));
  const byName = new Map<string, CollectionInContext>();
  const targetOf = (collection: string): JsonSchema | null => {
    if (collection === "users") return refTo("PublicUser");
    const target = byName.get(collection);
    if (target !== undefined) return refTo(shownName(target));
    if (!names.has(collection)) return null;
    return { ...refTo("Document"), description: `A document of \`${collection}\`.` };
  };
  const referrers = referrersByTarget(definitions);
  const isChosen = new Set(chosen);
  for (const definition of definitions) {
    const { name } = definition;
    if (!isChosen.has(name)) continue;
    byName.set(name, {
      definition,
      name: names.get(name)!,
      referrers: referrers.get(name) ?? [],
      ownsWhatItCreates: audience === "client",
      targetOf,
    });
  }
  const collections = [...byName.values()];
  const schemas: Record<string, JsonSchema> = { ...shared };
  const isBrief = collections.length > DETAILED_COLLECTIONS_MAX;
  await inSlices(collections, (one) => {
    const own = collectionSchemas(one);
    Object.assign(schemas, isBrief ? inBrief(own, ["example", "description"]) : own);
  });
  return { collections, schemas };
}

function withoutOwner({ properties, required = [], ...file }: JsonSchema): JsonSchema {
  const { ownerId: _ownerId, ...others } = properties!;
  return {
    ...file,
    description: "A file in the place of its path: what is known of it, with an address. That of " +
      "a private one is signed for an hour.",
    properties: others,
    required: required.filter((name) => name !== "ownerId"),
  };
}

/** Filters of all collections together that have parameters; `where` and `filter` take the others. */
const FILTER_PARAMETERS_MAX = 6_000;
/** Those of one collection. */
const COLLECTION_FILTERS_MAX = 1_000;

/**
 * With more collections than these, their descriptions and examples are left to the reference, and
 * refusals are told apart by their codes alone: with all of it each collection takes some 40 kB.
 */
const DETAILED_COLLECTIONS_MAX = 50;

interface DocumentOptions extends SchemaOptions {
  readonly serverUrl: string;
  /** Whether it has operations of collections alone. */
  readonly withoutOthers?: boolean;
}

/**
 * Resolves to the OpenAPI 3.1 document of one project, for whoever has the key that the audience has.
 * It is made in slices, between which the thread answers other requests.
 */
export async function projectDocument(
  facts: ProjectFacts,
  { audience, serverUrl, chosen, withoutOthers = false }: DocumentOptions,
) {
  const { document: general } = generalParts();
  const shownFacts = { ...facts, definitions: chosenOf(facts, chosen), audience };
  const { collections, schemas } = await projectSchemas(facts, { audience, chosen });
  const isBrief = collections.length > DETAILED_COLLECTIONS_MAX;
  const copies = new CollectionCopies(schemas, { audience, isBrief });
  const refusing = new Map<string, Refusing>();
  const assembly = new Assembly();
  const add = (path: string, one: ProjectOperation, operation: Operation) => {
    const { method } = placeOf(one.operationId);
    const refusal = { path, codes: one.codes, byClass: isBrief };
    refusing.set(`${isStoragePath(path)} ${one.codes.join()}`, refusal);
    assembly.add(path, method, {
      ...operation,
      security: one.security,
      responses: { ...successesOf(operation), ...refusalReferences(refusal) },
    });
  };
  const filtersMax = Math.min(
    COLLECTION_FILTERS_MAX,
    Math.floor(FILTER_PARAMETERS_MAX / Math.max(collections.length, 1)),
  );
  await inSlices(collections, (collection) => {
    const { definition } = collection;
    copies.begin(collection, filterParameters(definition, filtersMax));
    for (const one of collectionOperations(shownFacts, definition)) {
      const path = placeOf(one.operationId).path.replace("{collectionName}", definition.name);
      add(path, one, copies.operation(one.operationId));
    }
  });
  for (const one of withoutOthers ? [] : sharedOperations(shownFacts)) {
    const path = placeOf(one.operationId).path.replace("{projectId}", facts.projectId);
    add(path, one, sharedOperation(one.operationId, shownFacts));
  }
  const refusals = refusalComponents([...refusing.values()]);
  return {
    openapi: general.openapi,
    info: {
      ...general.info,
      title: facts.name,
      description: DESCRIPTIONS[audience] + (isBrief ? REFERENCE_NOTE : ""),
    },
    servers: [{ url: serverUrl, description: "This server" }],
    tags: [
      ...collections.map(({ definition }) => ({
        name: definition.name,
        description: accessText(definition),
      })),
      // A collection may have the name of one of ours.
      ...general.tags.filter(({ name }) =>
        assembly.hasTag(name) && collections.every(({ definition }) => definition.name !== name)
      ),
    ],
    ...await assembly.finish({
      ...general.components,
      schemas: { ...schemas, ...copies.schemas, ...refusals.schemas },
      parameters: { ...general.components.parameters, ...copies.parameters },
      examples: refusals.examples,
      responses: { ...copies.responses, ...refusals.responses },
    }),
  };
}

const chosenOf = (
  { definitions }: Pick<ProjectFacts, "definitions">,
  chosen: readonly string[] | undefined,
): readonly CollectionDefinition[] =>
  chosen === undefined ? definitions : definitions.filter(({ name }) => chosen.includes(name));

const REFERENCE_NOTE =
  "\n\nIt has many collections, so what their operations do is said in /docs " +
  "alone, and the `code` of a refusal tells its status. With `collections` it has fewer collections, " +
  "and all that there is to say of them.";

const successesOf = ({ responses }: Operation): Operation["responses"] =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 400));

/** An operation that is no collection's own, with what the project alone has. */
function sharedOperation(operationId: string, { definitions, providers }: ProjectFacts): Operation {
  const { operation } = placeOf(operationId);
  const declared = parametersOf(generalParts().document, operation.parameters);
  const names: Readonly<Record<string, readonly string[]>> = {
    collectionName: definitions.map(({ name }) => name),
    provider: providers,
  };
  const parameters = operation.parameters?.flatMap((shown, i) => {
    const parameter = declared[i]!;
    if (parameter.name === "projectId") return [];
    const known = names[parameter.name];
    if (known === undefined || known.length === 0) return [shown];
    return [{ ...parameter, schema: { type: "string", enum: known }, example: known[0] }];
  });
  return { ...operation, ...(parameters && { parameters }) };
}

const DESCRIPTIONS = {
  client: "What an application of this project may call, with the publishable key and the access " +
    "tokens of its users.\n\n`fields` and `meta` leave members out of documents: types tell of " +
    "documents as they are without these two.",
  server: "What a server of this project may call, with the secret key.\n\n`fields` and `meta` " +
    "leave members out of documents: types tell of documents as they are without these two.",
} as const;

function accessText({ rls }: CollectionDefinition): string {
  if (!rls.enabled) return "Everybody with a key reads, the secret key alone writes.";
  return rls.mode === "private"
    ? `Signed-in users read and write documents of their own, told by \`${rls.ownerField}\`.`
    : "Everybody with a key reads, signed-in users write documents of their own, told by " +
      `\`${rls.ownerField}\`.`;
}
