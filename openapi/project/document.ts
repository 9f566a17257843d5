import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import { refusalComponents, refusalReferences, type Refusing } from "../refusals.ts";
import { parametersOf } from "../shared_parts.ts";
import { Assembly } from "./assembly.ts";
import {
  type CollectionInContext,
  collectionSchemas,
  OPERATORS,
  referrersByTarget,
  shownName,
} from "./collection_schemas.ts";
import { CollectionCopies } from "./collection_copies.ts";
import { FILE } from "./field_schemas.ts";
import { CONDITIONS, filterParameters } from "./filters.ts";
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

/**
 * @param chosen Names of the collections that have schemas of their own; those of all others are
 * left out, and references to them lead to any document.
 */
export function projectSchemas(
  { definitions, userFields }: Pick<ProjectFacts, "definitions" | "userFields">,
  audience: Audience,
  chosen: readonly string[] = definitions.map(({ name }) => name),
): ProjectSchemas {
  const { schemas } = generalParts().document.components;
  const shared: Components = {
    ...schemas,
    ...OPERATORS,
    ...CONDITIONS,
    [FILE]: withoutOwner(schemas.StoredFile!),
    ...userSchemas(schemas, userFields),
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
  return {
    collections,
    schemas: Object.assign({ ...shared }, ...collections.map(collectionSchemas)),
  };
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

/** Filters of all collections together that are parameters of their own; `filter` takes the others. */
const FILTER_PARAMETERS_MAX = 20_000;
/** Those of one collection. */
const COLLECTION_FILTERS_MAX = 1_000;

interface DocumentOptions {
  readonly audience: Audience;
  readonly serverUrl: string;
  /** The collection whose operations it has and no others; all of the project if left out. */
  readonly only?: string;
}

/** The OpenAPI 3.1 document of one project, for whoever has the key that the audience has. */
export function projectDocument(
  facts: ProjectFacts,
  { audience, serverUrl, only }: DocumentOptions,
) {
  const { document: general } = generalParts();
  const all = { ...facts, audience };
  const { collections, schemas } = projectSchemas(
    facts,
    audience,
    only === undefined ? undefined : [only],
  );
  const copies = new CollectionCopies(schemas, audience);
  const refusing: Refusing[] = [];
  const assembly = new Assembly();
  const add = (path: string, one: ProjectOperation, operation: Operation) => {
    const { method } = placeOf(one.operationId);
    const refusal = { path, codes: one.codes };
    refusing.push(refusal);
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
  for (const collection of collections) {
    const { definition } = collection;
    copies.begin(collection, filterParameters(definition, filtersMax));
    for (const one of collectionOperations(all, definition)) {
      const path = placeOf(one.operationId).path.replace("{collectionName}", definition.name);
      add(path, one, copies.operation(one.operationId));
    }
  }
  for (const one of only === undefined ? sharedOperations(all) : []) {
    const path = placeOf(one.operationId).path.replace("{projectId}", facts.projectId);
    add(path, one, sharedOperation(one.operationId, facts));
  }
  const refusals = refusalComponents(refusing);
  return {
    openapi: general.openapi,
    info: {
      ...general.info,
      title: facts.name,
      description: DESCRIPTIONS[audience],
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
    ...assembly.finish({
      ...general.components,
      schemas: { ...schemas, ...copies.schemas, ...refusals.schemas },
      parameters: { ...general.components.parameters, ...copies.parameters },
      examples: refusals.examples,
      responses: refusals.responses,
    }),
  };
}

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
