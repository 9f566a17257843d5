import { CONTRACTS } from "@/openapi/document.ts";
import { COLLECTION_OPERATIONS } from "@/openapi/project/operations.ts";
import {
  listOperations,
  type Parameter,
  type ReferenceOperation,
  type StoredDocument,
} from "../../reference/document.ts";

/** An operation of a collection in the project's OpenAPI document. */
export interface CollectionOperation {
  /** Suffix of the operation's id, such as `List`. */
  readonly name: string;
  readonly operationId: string;
  readonly reference: ReferenceOperation;
}

const OPERATIONS = Object.entries(COLLECTION_OPERATIONS)
  .map(([operationId, name]) => ({ operationId, name }));

/** Returns the operations of a document with one collection. No name is a suffix of another one. */
export const operationsIn = (document: StoredDocument): CollectionOperation[] =>
  listOperations(document).flatMap((reference) => {
    const known = OPERATIONS.find(({ name }) => reference.operationId.endsWith(name));
    return known === undefined ? [] : [{ ...known, reference }];
  });

/** Separates filters by fields, of which there may be hundreds, from other parameters. */
export function parametersOf({ operationId, reference: { parameters } }: CollectionOperation) {
  const contract = CONTRACTS.find((one) => one.operationId === operationId)!;
  const known = new Set([
    ...(contract.parameters ?? []).map(({ name }) => name),
    ...Object.keys(contract.query?.schema.shape ?? {}),
  ]);
  const isFilter = (one: Parameter) => one.in === "query" && !known.has(one.name);
  return {
    own: parameters.filter((one) => !isFilter(one)),
    filters: parameters.filter(isFilter),
  };
}
