import type { Contract } from "@/openapi/contract.ts";
import * as data from "@/openapi/paths/data.ts";
import * as schemas from "@/openapi/paths/schemas.ts";
import * as social from "@/openapi/paths/social.ts";
import * as system from "@/openapi/paths/system.ts";
import type { Handler } from "./call.ts";
import { handleCreateDocument } from "./data/create_document.ts";
import { handleCreateDocuments } from "./data/create_documents.ts";
import { handleDeleteDocument } from "./data/delete_document.ts";
import { handleGetDocument } from "./data/get_document.ts";
import { handleGetSchema } from "./data/get_schema.ts";
import { handleListDocuments } from "./data/list_documents.ts";
import { handlePatchDocument } from "./data/patch_document.ts";
import { handleRecoverDocument } from "./data/recover_document.ts";
import { handleReplaceDocument } from "./data/replace_document.ts";
import { handleGetJwks } from "./projects/get_jwks.ts";
import { handleSignInCallback } from "./social/sign_in_callback.ts";
import { handleStartSignIn } from "./social/start_sign_in.ts";
import { handleGetHealth, handleGetReadiness } from "./system/health.ts";
import { handleGetIndex } from "./system/index.ts";
import { handleGetOpenApi } from "./system/openapi.ts";
import { handleGetReference, handleGetReferenceScript } from "./system/reference.ts";

/** Which handler answers which contract. */
export function operations(mount: <P>(contract: Contract<P>, handle: Handler<P>) => void): void {
  mount(data.listDocuments, handleListDocuments);
  mount(data.createDocument, handleCreateDocument);
  mount(data.createDocuments, handleCreateDocuments);
  mount(data.getDocument, handleGetDocument);
  mount(data.replaceDocument, handleReplaceDocument);
  mount(data.patchDocument, handlePatchDocument);
  mount(data.deleteDocument, handleDeleteDocument);
  mount(data.recoverDocument, handleRecoverDocument);
  mount(schemas.getSchema, handleGetSchema);
  mount(social.startSignIn, handleStartSignIn);
  mount(social.signInCallback, handleSignInCallback);
  mount(system.getJwks, handleGetJwks);
  mount(system.getHealth, handleGetHealth);
  mount(system.getReadiness, handleGetReadiness);
  mount(system.getIndex, handleGetIndex);
  mount(system.getDocumentFile, handleGetOpenApi);
  mount(system.getReference, handleGetReference);
  mount(system.getReferenceScript, handleGetReferenceScript);
}
