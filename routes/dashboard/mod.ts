import type { Mount } from "../call.ts";
import { accountPages } from "./accounts/mod.ts";
import { serveAsset } from "./assets.ts";
import { visitor } from "./guards.ts";
import { get } from "./pages.ts";
import { projectPages } from "./projects/mod.ts";

/** The dashboard: pages over the verbs that the operations call, with no rule of their own. */
export function pages(mount: Mount): void {
  mount(get("/dashboard/assets/{file}", visitor), serveAsset);
  accountPages(mount);
  projectPages(mount);
}
