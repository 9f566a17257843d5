import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { takesEncoding } from "../compression.ts";
import { serveFile, type StaticFile, textFile } from "./file.ts";

const FOLDER = new URL("../../client/", import.meta.url);

/** By name and whether they are packed; read when the first asks for them, then kept. */
const files = new Map<string, Promise<StaticFile>>();

const serving =
  (name: string, type: string): HandlerOf<typeof system.getClient | typeof system.getClientTypes> =>
  async (c) => {
    const isPacked = takesEncoding(c.req.header("accept-encoding") ?? null, "gzip");
    const key = `${name} ${isPacked}`;
    let file = files.get(key);
    if (file === undefined) {
      file = Deno.readTextFile(new URL(name, FOLDER)).then((text) =>
        textFile(type, text, isPacked)
      );
      files.set(key, file);
    }
    return serveFile(await file, c.req.header("if-none-match") ?? null);
  };

export const handleGetClient = serving("client.js", "text/javascript; charset=utf-8");

export const handleGetClientTypes = serving("client.d.ts", "application/typescript; charset=utf-8");
