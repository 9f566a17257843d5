import type { Building } from "@/lib/documents/definition_builds.ts";
import { texts } from "../texts/mod.ts";

/** How far a change of the definition is that somebody makes at the moment. */
export const BuildingNote = ({ building }: { building: Building | null }) => {
  if (building === null) return null;
  const { done, total } = building;
  return <p class="note" role="status">{texts().collections.building(done, total)}</p>;
};
