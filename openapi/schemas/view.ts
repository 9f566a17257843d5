import { z } from "@hono/zod-openapi";
import { VIEW_MEMBERS } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX } from "@/lib/limits.ts";

const members = {
  query: VIEW_MEMBERS.query.describe(
    "Query parameters of the list operation, without those for pages.",
  ),
  columns: VIEW_MEMBERS.columns.describe(
    "Paths of the columns that the dashboard shows; null for the default columns.",
  ),
};

export const VIEW_INPUT_EXAMPLE = {
  query: "status=draft&sort=-views",
  columns: ["title", "views"],
};

export const VIEW_EXAMPLE = { name: "Drafts", ...VIEW_INPUT_EXAMPLE };

export const ViewInput = z.strictObject({ ...members, columns: members.columns.default(null) })
  .openapi("ViewInput", { example: VIEW_INPUT_EXAMPLE });

export const View = z.strictObject({
  name: z.string().max(VIEW_NAME_LENGTH_MAX),
  ...members,
}).openapi("View", {
  description: "A saved list of a collection, for the members of its project.",
  example: VIEW_EXAMPLE,
});
