import { counted } from "../amounts.ts";
import type { diagram as en } from "../en/diagram.tsx";

export const diagram: typeof en = {
  title: "Diagramm",
  none: "Es gibt hier noch keine Sammlung.",
  picture: "Sammlungen, mit Linien zu denen, auf die sie verweisen",
  more: (count) => `und ${count} weitere`,
  asTable: (collections, references) =>
    `${counted(collections, "Sammlung", "Sammlungen")}, ` +
    `${counted(references, "Verweis", "Verweise")}, als Tabelle`,
  collection: "Sammlung",
  field: "Feld",
  refersTo: "Verweist auf",
  refersToNone: "verweist auf keine",
};
