import { counted } from "../amounts.ts";

export const diagram = {
  title: "Diagram",
  none: "There is no collection here yet.",
  picture: "Collections, with lines to those that they refer to",
  more: (count: number) => `and ${count} more`,
  asTable: (collections: number, references: number) =>
    `${counted(collections, "collection", "collections")}, ` +
    `${counted(references, "reference", "references")}, as a table`,
  collection: "Collection",
  field: "Field",
  refersTo: "Refers to",
  refersToNone: "refers to none",
};
