import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { keptTexts } from "./file.ts";

const FOLDER = new URL("../../client/", import.meta.url);

function serving(
  name: string,
  type: string,
): HandlerOf<typeof system.getClient | typeof system.getClientTypes> {
  const serve = keptTexts(type);
  return (c) => serve(c.req, name, () => Deno.readTextFile(new URL(name, FOLDER)));
}

export const handleGetClient = serving("client.js", "text/javascript; charset=utf-8");

export const handleGetClientTypes = serving("client.d.ts", "application/typescript; charset=utf-8");
