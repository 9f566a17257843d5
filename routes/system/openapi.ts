import { buildDocument } from "@/openapi/document.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { keptTexts } from "./file.ts";

const serve = keptTexts("application/json");

/** One for each address that the server is reached at. */
export const handleGetOpenApi: HandlerOf<typeof system.getDocumentFile> = (c) => {
  const { publicUrl } = c.var.services.config;
  return serve(c.req, publicUrl, () => JSON.stringify(buildDocument(publicUrl)));
};
