import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { inSlices } from "@/lib/next_turn.ts";
import { isStoragePath } from "@/lib/http/path.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import { refusalComponents, refusalReferences, type RefusalSource } from "../refusals.ts";
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
import { findOperation, generalParts, type Operation } from "./general.ts";
import { type Components, type JsonSchema, refTo } from "./json_schema.ts";
import { typeNames } from "./names.ts";
import {
  type Audience,
  collectionOperations,
  type ProjectOperation,
  sharedOperations,
} from "./operations.ts";
import { userSchemas } from "./user_schemas.ts";

/** The collections of a project and all schemas that they may refer to. */
export interface ProjectSchemas {
  readonly collections: readonly CollectionInContext[];
  readonly schemas: Components;
}

export interface SchemaOptions {
  readonly audience: Audience;
  /** Names of the collections to describe; all if left out. References to others are general. */
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
    description: "A file that replaces its path: its record with an address. The address of a " +
      "private file is signed for an hour.",
    properties: others,
    required: required.filter((name) => name !== "ownerId"),
  };
}

/** Number of filter parameters in all collections. `where` and `filter` accept the others. */
const FILTER_PARAMETERS_MAX = 6_000;
const COLLECTION_FILTERS_MAX = 1_000;

/** Number of collections above which a document omits details. In full, each takes 40 kB. */
const DETAILED_COLLECTIONS_MAX = 50;

interface DocumentOptions extends SchemaOptions {
  readonly serverUrl: string;
  /** Whether the document has only the operations of collections. */
  readonly withoutOthers?: boolean;
}

/** Works in slices, between which the thread answers other requests. */
export async function projectDocument(
  facts: ProjectFacts,
  { audience, serverUrl, chosen, withoutOthers = false }: DocumentOptions,
) {
  const { document: general } = generalParts();
  const chosenFacts = { ...facts, definitions: chosenDefinitions(facts, chosen), audience };
  const { collections, schemas } = await projectSchemas(facts, { audience, chosen });
  const isBrief = collections.length > DETAILED_COLLECTIONS_MAX;
  const copies = new CollectionCopies(schemas, { audience, isBrief });
  const refusalSources = new Map<string, RefusalSource>();
  const assembly = new Assembly();
  const add = (path: string, one: ProjectOperation, operation: Operation) => {
    const { method } = findOperation(one.operationId);
    const refusal = { path, codes: one.codes, byClass: isBrief };
    refusalSources.set(`${isStoragePath(path)} ${one.codes.join()}`, refusal);
    assembly.add(path, method, {
      ...operation,
      security: one.security,
      responses: { ...successResponses(operation), ...refusalReferences(refusal) },
    });
  };
  const filtersMax = Math.min(
    COLLECTION_FILTERS_MAX,
    Math.floor(FILTER_PARAMETERS_MAX / Math.max(collections.length, 1)),
  );
  await inSlices(collections, (collection) => {
    const { definition } = collection;
    copies.selectCollection(collection, filterParameters(definition, filtersMax));
    for (const one of collectionOperations(chosenFacts, definition)) {
      const path = findOperation(one.operationId).path.replace("{collectionName}", definition.name);
      add(path, one, copies.copyOperation(one.operationId));
    }
  });
  for (const one of withoutOthers ? [] : sharedOperations(chosenFacts)) {
    const path = findOperation(one.operationId).path.replace("{projectId}", facts.projectId);
    add(path, one, sharedOperation(one.operationId, chosenFacts));
  }
  const refusals = refusalComponents([...refusalSources.values()]);
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
      // A collection may have the name of a general tag.
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

const chosenDefinitions = (
  { definitions }: Pick<ProjectFacts, "definitions">,
  chosen: readonly string[] | undefined,
): readonly CollectionDefinition[] =>
  chosen === undefined ? definitions : definitions.filter(({ name }) => chosen.includes(name));

const REFERENCE_NOTE =
  "\n\nThe project has many collections, so this document leaves descriptions to /docs and groups " +
  "refusals by status class; their `code` identifies the status. Choose some with `collections` to " +
  "get a complete document.";

const successResponses = ({ responses }: Operation): Operation["responses"] =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 400));

/** Returns an operation outside of collections, with the project's own values in its parameters. */
function sharedOperation(operationId: string, { definitions, providers }: ProjectFacts): Operation {
  const { operation } = findOperation(operationId);
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
  client: "Operations for applications of this project, which use the publishable key and the " +
    "access tokens of its users.\n\n`fields` and `meta` leave members out of documents; the types " +
    "describe documents without these parameters.",
  server: "Operations for servers of this project, which use the secret key.\n\n`fields` and " +
    "`meta` leave members out of documents; the types describe documents without these parameters.",
} as const;

function accessText({ rls }: CollectionDefinition): string {
  if (!rls.enabled) return "Every caller with a key can read; only the secret key can write.";
  return rls.mode === "private"
    ? `Signed-in users read and write their own documents, identified by \`${rls.ownerField}\`.`
    : "Every caller with a key can read; signed-in users write their own documents, identified by " +
      `\`${rls.ownerField}\`.`;
}
