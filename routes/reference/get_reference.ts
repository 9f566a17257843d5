import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";
import { servePage } from "./serve_page.ts";
import { StartPage } from "./start_page.tsx";

/** One for each address that the server is reached at. */
export const handleGetReference: HandlerOf<typeof system.getReference> = (c) => {
  const { publicUrl } = c.var.services.config;
  return servePage(c.req, `start ${publicUrl}`, () => StartPage({ publicUrl }));
};
