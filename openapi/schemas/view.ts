import { z } from "@hono/zod-openapi";
import { VIEW_MEMBERS } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX } from "@/lib/limits.ts";

const members = {
  query: VIEW_MEMBERS.query.describe(
    "Parameters of the list operation, as an address has them, without a page.",
  ),
  columns: VIEW_MEMBERS.columns.describe(
    "Paths of the columns that the dashboard shows; null for those that it begins with.",
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
  description: "A list of a collection that its project's members look at again and again.",
  example: VIEW_EXAMPLE,
});
