import type { ProjectMember } from "@/lib/projects/members.ts";
import { findCollection } from "@/lib/documents/access.ts";
import type { PageHandler } from "../../handler.ts";
import { seeOther } from "../replies.ts";
import { toParameter } from "./filters.ts";
import { pathsOf } from "./paths.ts";
import { type Context, documentsPath, serverCaller } from "./context.ts";
import { withSearch } from "./search_box.tsx";
import { gridPath, readView, withEntry } from "./view.ts";

const loadCollection = (c: Context) =>
  findCollection(c.var.services, serverCaller(c), c.req.valid("param").collectionName);

/** Adds or changes a filter. If only the field is chosen, opens the form for its condition. */
export const chooseFilter: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const collection = await loadCollection(c);
  const form = new URLSearchParams(c.var.state.query);
  const view = readView(documentsPath(c), form.get("view") ?? "");
  const field = form.get("field") ?? "";
  const path = pathsOf(collection).get(field);
  const chosen = form.get("choice");
  if (path === undefined) return seeOther(gridPath(view));
  if (chosen === null) return seeOther(gridPath(view, { field }));
  const at = form.get("at");
  const entry = toParameter(collection, path, { chosen, value: form.get("value") ?? "" });
  return seeOther(gridPath(withEntry(view, at === null ? null : Number(at), entry)));
};

export const chooseSearch: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const collection = await loadCollection(c);
  const form = new URLSearchParams(c.var.state.query);
  const view = readView(documentsPath(c), form.get("view") ?? "");
  return seeOther(gridPath(withSearch(collection, view, form.get("search") ?? "")));
};

/** Chooses the columns. Without any column the default columns are shown. */
export const chooseColumns: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readView(documentsPath(c), form.get("view") ?? "");
  const columns = form.getAll("column").filter((one) => one !== "" && !one.includes(","));
  return seeOther(gridPath({ ...view, columns: columns.length === 0 ? null : columns }));
};
