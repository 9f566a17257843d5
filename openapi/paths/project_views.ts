import { z } from "@hono/zod-openapi";
import { checkedViewName, VIEW_NAME_PATTERN } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX, VIEWS_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
    param: { description: "The view's name, which may contain spaces.", example: "Drafts" },
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
  description: "Saved lists of the project's members, by name. Each is a query of the list " +
    "operation with the columns that the dashboard shows.",
  security: projectMember("viewer"),
  params: { projectId, collectionName },
  success: okAnswer("Views listed", "The views.", {
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
  description: `All members of the project share views. A collection has up to ${VIEWS_MAX}. A ` +
    "view of the same name is replaced. Views are deleted with their collection. A change of the " +
    "definition does not change their queries, even if these name former fields.",
  security: projectMember("admin"),
  params: { projectId, collectionName, viewName },
  body: {
    schema: ViewInput,
    example: VIEW_INPUT_EXAMPLE,
    description: "The view.",
  },
  success: okAnswer("View saved", "The stored view.", { data: View, example: VIEW_EXAMPLE }),
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
  description: "Deletes the view for all members of the project. Documents are not deleted.",
  security: projectMember("admin"),
  params: { projectId, collectionName, viewName },
  success: okAnswer("View deleted", "The view is deleted.", {
    data: z.strictObject({ name: z.string() }),
    example: { name: "Drafts" },
  }),
  problems: ["COLLECTION_NOT_FOUND", "VIEW_NOT_FOUND"],
});

export const PROJECT_VIEWS = { listViews, saveView, deleteView };
