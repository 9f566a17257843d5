import { matchesTag } from "../http/etags.ts";
import { Problem } from "../problems.ts";
import type { Filter, Stored } from "../store/port.ts";
import { ALL } from "../store/filter.ts";
import { etagOf } from "./document.ts";

/** Matches the revision whose tag was compared. Throws `PRECONDITION_FAILED` if the tag differs. */
export function unchangedSince(current: Stored, ifMatch: string): Filter {
  if (ifMatch.trim() === "*") return ALL;
  if (!matchesTag(ifMatch, etagOf(current), false)) throw new Problem("PRECONDITION_FAILED");
  return { op: "revision", value: current.revision };
}
