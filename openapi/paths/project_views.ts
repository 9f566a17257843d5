import { z } from "@hono/zod-openapi";
import { checkedViewName, VIEW_NAME_PATTERN } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX, VIEWS_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import type { PathParameter } from "../inputs.ts";
import { collectionName, projectId } from "../parameters.ts";
import { View, VIEW_EXAMPLE, VIEW_INPUT_EXAMPLE, ViewInput } from "../schemas/view.ts";
import { projectMember } from "../security.ts";

const TAG = "Project collections";
const PATH = "/api/projects/{projectId}/collections/{collectionName}/views";
const ONE = `${PATH}/{viewName}` as const;

const viewName: PathParameter = {
  schema: z.string().min(1).max(VIEW_NAME_LENGTH_MAX).openapi({
    pattern: VIEW_NAME_PATTERN,
    param: { description: "The view's name, which may have spaces in it.", example: "Drafts" },
  }),
  problem: "INVALID_INPUT",
  read: checkedViewName,
};

export const listViews = contract({
  operationId: "listViews",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "List the views of a collection",
  description: "What the project's members look at again and again, by name: each is a query of " +
    "the list operation, with the columns that the dashboard shows of it.",
  security: projectMember("viewer"),
  params: { projectId, collectionName },
  success: answered("Views listed", "The views.", {
    data: z.strictObject({ items: z.array(View) }),
    example: { items: [VIEW_EXAMPLE] },
  }),
  problems: ["COLLECTION_NOT_FOUND"],
});

export const saveView = contract({
  operationId: "saveView",
  tag: TAG,
  method: "put",
  path: ONE,
  summary: "Save a view of a collection",
  description: `All members of the project share it. A collection has up to ${VIEWS_MAX}. A view ` +
    "of the same name is replaced. They go with their collection. What a changed definition makes " +
    "of a query is not looked at: it stays as it is, with the names of fields that it had.",
  security: projectMember("admin"),
  params: { projectId, collectionName, viewName },
  body: {
    schema: ViewInput,
    example: VIEW_INPUT_EXAMPLE,
    description: "What is looked at.",
  },
  success: answered("View saved", "The view as it is stored.", {
    data: View,
    example: VIEW_EXAMPLE,
  }),
  problems: [
    "COLLECTION_NOT_FOUND",
    "INVALID_QUERY",
    "UNKNOWN_OPERATOR",
    "SEARCH_NOT_DECLARED",
    "VIEW_LIMIT_REACHED",
  ],
});

export const deleteView = contract({
  operationId: "deleteView",
  tag: TAG,
  method: "delete",
  path: ONE,
  summary: "Delete a view of a collection",
  description: "It is gone for all members of the project. No document is.",
  security: projectMember("admin"),
  params: { projectId, collectionName, viewName },
  success: answered("View deleted", "It is gone.", {
    data: z.strictObject({ name: z.string() }),
    example: { name: "Drafts" },
  }),
  problems: ["COLLECTION_NOT_FOUND", "VIEW_NOT_FOUND"],
});

/** In the order of the reference. */
export const PROJECT_VIEWS = { listViews, saveView, deleteView };
