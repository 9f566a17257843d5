import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { findProject } from "@/lib/projects/projects.ts";
import { buildDocument } from "@/openapi/document.ts";
import type { SYSTEM } from "@/openapi/paths/system.ts";
import type { HandlerOf, HandlersOf } from "../handler.ts";
import { handleGetReferenceScript } from "../reference/scalar.ts";
import { servePage } from "../reference/serve_page.ts";
import { StartPage } from "../reference/start_page.tsx";
import { createTextServer } from "./file.ts";

const serveDocument = createTextServer("application/json");

const FOLDER = new URL("../../client/", import.meta.url);

const SCRIPT = "text/javascript; charset=utf-8";

export const system: HandlersOf<typeof SYSTEM> = {
  getJwks: async (c) => {
    const { services } = c.var;
    const params = c.req.valid("param");
    const project = await findProject(services, params.projectId);
    const key = await services.signingKeys.find(project._id);
    if (key === null) throw new Problem("PROJECT_NOT_FOUND");
    return { status: 200, body: JSON.stringify({ keys: [key.publicJwk] }) };
  },

  getHealth: () => ok(200, JSON.stringify({ status: "ok" }), "Alive"),

  getReadiness: async (c) => {
    const { services } = c.var;
    const { engine, blobStores, config, connectionShortage, log } = services;
    const [database, storage] = [engine.name, config.storage.kind];
    const assertUsable = async (work: Promise<void>, what: string): Promise<void> => {
      try {
        await work;
      } catch (cause) {
        log.write("error", `${what} cannot be used`, { error: (cause as Error).message });
        throw new Problem("NOT_READY", { message: `${what} cannot be used.`, cause });
      }
    };
    await Promise.all([
      assertUsable(engine.ping(), `The database (${database})`),
      assertUsable(blobStores.internal.ping(), `The file storage (${storage})`),
    ]);
    const lost = engine.unusableSpaces();
    const ready = { status: "ready", database, storage };
    const report = {
      ...ready,
      unusableProjects: lost.length || undefined,
      connectionsExhausted: connectionShortage.isRecent() || undefined,
    };
    return ok(200, JSON.stringify(report), "Ready");
  },

  getIndex: (c) => {
    const { services: { config: { publicUrl } } } = c.var;
    const addresses = {
      name: "Corbel",
      reference: `${publicUrl}/docs`,
      document: `${publicUrl}/openapi.json`,
      client: `${publicUrl}/client.js`,
      commandLine: `${publicUrl}/cli.js`,
      health: `${publicUrl}/api/health`,
      ready: `${publicUrl}/api/health/ready`,
    };
    return ok(200, JSON.stringify(addresses), "Corbel is running");
  },

  getDocumentFile: (c) => {
    const { publicUrl } = c.var.services.config;
    return serveDocument(c.req, publicUrl, () => JSON.stringify(buildDocument(publicUrl)));
  },

  getReference: (c) => {
    const { publicUrl } = c.var.services.config;
    return servePage(c.req, `start ${publicUrl}`, () => StartPage({ publicUrl }));
  },

  getReferenceScript: handleGetReferenceScript,

  getClient: serving("client.js", SCRIPT),

  getClientTypes: serving("client.d.ts", "application/typescript; charset=utf-8"),

  getCommandLine: serving("cli.js", SCRIPT),
};

function serving(
  name: string,
  type: string,
): HandlerOf<
  typeof SYSTEM.getClient | typeof SYSTEM.getClientTypes | typeof SYSTEM.getCommandLine
> {
  const serve = createTextServer(type);
  return (c) => serve(c.req, name, () => Deno.readTextFile(new URL(name, FOLDER)));
}
