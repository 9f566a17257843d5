import type { DATA } from "@/openapi/paths/data.ts";
import type { HandlersOf } from "../handler.ts";
import { handleAggregateDocuments } from "./aggregate_documents.ts";
import { handleCreateDocument } from "./create_document.ts";
import { handleCreateDocuments } from "./create_documents.ts";
import { handleDeleteDocument } from "./delete_document.ts";
import { handleGetDocument } from "./get_document.ts";
import { handleListDocuments } from "./list_documents.ts";
import { handlePatchDocument } from "./patch_document.ts";
import { handleRecoverDocument } from "./recover_document.ts";
import { handleReplaceDocument } from "./replace_document.ts";
import { handleWriteBatch } from "./write_batch.ts";

export const data: HandlersOf<typeof DATA> = {
  listDocuments: handleListDocuments,
  aggregateDocuments: handleAggregateDocuments,
  createDocument: handleCreateDocument,
  createDocuments: handleCreateDocuments,
  getDocument: handleGetDocument,
  replaceDocument: handleReplaceDocument,
  patchDocument: handlePatchDocument,
  deleteDocument: handleDeleteDocument,
  recoverDocument: handleRecoverDocument,
  writeBatch: handleWriteBatch,
};
