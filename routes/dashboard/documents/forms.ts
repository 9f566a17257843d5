import type { ProjectMember } from "@/lib/projects/members.ts";
import { findCollection } from "@/lib/documents/access.ts";
import type { PageHandler } from "../../handler.ts";
import { seeOther } from "../replies.ts";
import { parameterOf } from "./filters.ts";
import { pathsOf } from "./paths.ts";
import { type CollectionContext, pathOf, serverOf } from "./room.ts";
import { searched } from "./search_box.tsx";
import { hrefOf, readView, withEntry } from "./view.ts";

/** Forms that lead to the grid in another view; they change nothing. */

const collectionOf = (c: CollectionContext) =>
  findCollection(c.var.services, serverOf(c), c.req.valid("param").collectionName);

/** Without a condition it asks for one: the form then knows the field. */
export const chooseFilter: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const collection = await collectionOf(c);
  const form = new URLSearchParams(c.var.state.query);
  const view = readView(pathOf(c), form.get("view") ?? "");
  const field = form.get("field") ?? "";
  const path = pathsOf(collection).get(field);
  const chosen = form.get("choice");
  if (path === undefined) return seeOther(hrefOf(view));
  if (chosen === null) return seeOther(hrefOf(view, { field }));
  const at = form.get("at");
  const entry = parameterOf(collection, path, { chosen, value: form.get("value") ?? "" });
  return seeOther(hrefOf(withEntry(view, at === null ? null : Number(at), entry)));
};

export const chooseSearch: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const collection = await collectionOf(c);
  const form = new URLSearchParams(c.var.state.query);
  const view = readView(pathOf(c), form.get("view") ?? "");
  return seeOther(hrefOf(searched(collection, view, form.get("search") ?? "")));
};

/** None at all would show nothing: then it is as at first. */
export const chooseColumns: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readView(pathOf(c), form.get("view") ?? "");
  const columns = form.getAll("column").filter((one) => one !== "" && !one.includes(","));
  return seeOther(hrefOf({ ...view, columns: columns.length === 0 ? null : columns }));
};
