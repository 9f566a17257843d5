import { buildDocument } from "@/openapi/document.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { takesEncoding } from "../compression.ts";
import { serveFile, type StaticFile, textFile } from "./file.ts";

const TYPE = "application/json";

/** By the server's address and whether it is packed; made when the first asks for it, then kept. */
const documents = new Map<string, Promise<StaticFile>>();

export const handleGetOpenApi: HandlerOf<typeof system.getDocumentFile> = async (c) => {
  const { services } = c.var;
  const { publicUrl } = services.config;
  const isPacked = takesEncoding(c.req.header("accept-encoding") ?? null, "gzip");
  const key = `${publicUrl} ${isPacked}`;
  let document = documents.get(key);
  if (document === undefined) {
    const text = JSON.stringify(buildDocument(publicUrl));
    documents.set(key, document = textFile(TYPE, text, isPacked));
  }
  return serveFile(await document, c.req.header("if-none-match") ?? null);
};
