import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { keptTexts } from "./file.ts";

const FOLDER = new URL("../../client/", import.meta.url);

function serving(
  name: string,
  type: string,
): HandlerOf<
  typeof system.getClient | typeof system.getClientTypes | typeof system.getCommandLine
> {
  const serve = keptTexts(type);
  return (c) => serve(c.req, name, () => Deno.readTextFile(new URL(name, FOLDER)));
}

const SCRIPT = "text/javascript; charset=utf-8";

export const handleGetClient = serving("client.js", SCRIPT);

export const handleGetCommandLine = serving("cli.js", SCRIPT);

export const handleGetClientTypes = serving("client.d.ts", "application/typescript; charset=utf-8");
