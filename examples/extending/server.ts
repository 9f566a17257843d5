import { Hono } from "hono";
import { commandEnvironment, loadConfig } from "@/lib/runtime/config.ts";
import { listDocuments } from "@/lib/documents/list_documents.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import type { AppEnv } from "@/routes/handler.ts";
import { startMaintenance } from "@/routes/maintenance.ts";

const config = loadConfig(commandEnvironment("start", (name) => Deno.env.get(name)));
const services = await openServices(config, { log: createLog(config.logLevel, console.log) });
startMaintenance(services);

const app = new Hono<AppEnv>();
app.use(async (c, next) => {
  await next();
  c.header("x-served-by", "our own server");
});
app.get("/sizes/:projectId/:collection", async (c) => {
  const { projectId, collection: collectionName } = c.req.param();
  const caller = { kind: "secret", projectId } as const;
  const { count } = await listDocuments(services, caller, { collectionName, query: "count=true" });
  return c.json({ count });
});
app.route("/", createApp(services));

Deno.serve({ hostname: config.host, port: config.port }, app.fetch);
