import { CONTRACTS } from "@/openapi/document.ts";
import { COLLECTION_OPERATIONS } from "@/openapi/project/operations.ts";
import {
  type Parameter,
  type ShownOperation,
  shownOperations,
  type StoredDocument,
} from "../../reference/document.ts";

/** An operation of a collection, as the project's own document has it. */
export interface CollectionOperation {
  /** `List`, as its id ends. */
  readonly name: string;
  /** In the document of all operations. */
  readonly operationId: string;
  readonly shown: ShownOperation;
}

const OPERATIONS = Object.entries(COLLECTION_OPERATIONS)
  .map(([operationId, name]) => ({ operationId, name }));

/** Those of a document with one collection. No name ends with another one. */
export const operationsIn = (document: StoredDocument): CollectionOperation[] =>
  shownOperations(document).flatMap((shown) => {
    const known = OPERATIONS.find(({ name }) => shown.operationId.endsWith(name));
    return known === undefined ? [] : [{ ...known, shown }];
  });

/** What filters by the collection's own fields stands apart: it may be hundreds of parameters. */
export function parametersOf({ operationId, shown: { parameters } }: CollectionOperation) {
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
