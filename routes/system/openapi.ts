import { buildDocument } from "@/openapi/document.ts";
import type { Handler } from "../call.ts";
import { serveFile, staticFile } from "./file.ts";

/** Built when the first asks, then kept. */
let document: ReturnType<typeof staticFile> | undefined;

export const handleGetOpenApi: Handler<null> = ({ header }) => {
  document ??= staticFile("application/json", JSON.stringify(buildDocument()));
  return serveFile(document, header("if-none-match"));
};
