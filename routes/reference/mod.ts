import { Problem } from "@/lib/problems.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { guides } from "@/openapi/introduction.ts";
import { anyone } from "@/openapi/security.ts";
import { visitor } from "../dashboard/guards.ts";
import { get } from "../dashboard/pages.ts";
import type { Mount, PageHandler } from "../handler.ts";
import { serveFile, staticFile } from "../system/file.ts";
import { serveReferenceAsset } from "./assets.ts";
import { readDocument } from "./document.ts";
import { ErrorsPage } from "./errors_page.tsx";
import { handleExampleKey } from "./example_key.ts";
import { GuidePage } from "./guide_page.tsx";
import { OperationPage } from "./operation_page.tsx";
import { handleGetFullReference } from "./scalar.ts";
import { servePage } from "./serve_page.ts";

/** Mounts the pages of the reference, except the start page, which is an operation. */
export function referencePages(mount: Mount): void {
  mount(get("/docs/assets/{file}", anyone), serveReferenceAsset);
  // Below the dashboard, so that only its own origin may read it.
  mount(get("/dashboard/example-key", visitor), handleExampleKey);
  mount(get("/docs/errors", anyone), handleErrors);
  mount(get("/docs/full", anyone), handleGetFullReference);
  mount(get("/docs/operations/{operationId}", anyone), handleOperation);
  mount(get("/docs/guides/{name}", anyone), handleGuide);
  mount(get("/docs/pictures/{file}", anyone), handlePicture);
}

const DOCS = new URL("../../docs/", import.meta.url);

const OPERATION_IDS = new Set(CONTRACTS.map(({ operationId }) => operationId));

const handleOperation: PageHandler<null, "operationId"> = (c) => {
  const { publicUrl } = c.var.services.config;
  const { operationId } = c.req.valid("param");
  // Unknown names must not get a cache entry.
  if (!OPERATION_IDS.has(operationId)) throw new Problem("ROUTE_NOT_FOUND");
  return servePage(c.req, `operation ${operationId} ${publicUrl}`, async () => {
    const document = await readDocument();
    const operation = document.operation(operationId);
    return OperationPage({ operation, document, serverUrl: publicUrl });
  });
};

const handleErrors: PageHandler<null> = (c) =>
  servePage(c.req, "errors", async () => {
    const text = await Deno.readTextFile(new URL("errors.md", DOCS));
    // The rest of the file repeats the list of problems.
    return ErrorsPage({ introduction: text.slice(0, text.indexOf("<!-- deno-fmt")) });
  });

const handleGuide: PageHandler<null, "name"> = (c) => {
  const { name } = c.req.valid("param");
  const guide = guides().find((one) => one.name === name);
  if (guide === undefined) throw new Problem("ROUTE_NOT_FOUND");
  return servePage(c.req, `guide ${name}`, async () => {
    const text = await Deno.readTextFile(new URL(`${name}.md`, DOCS));
    return GuidePage({ guide, text });
  });
};

const PICTURES = ["access.png", "documents.png", "overview.png"];

const handlePicture: PageHandler<null, "file"> = async (c) => {
  const { file } = c.req.valid("param");
  if (!PICTURES.includes(file)) throw new Problem("ROUTE_NOT_FOUND");
  const picture = staticFile("image/png", await Deno.readFile(new URL(`dashboard/${file}`, DOCS)));
  return serveFile(picture, c.req.header("if-none-match") ?? null);
};
