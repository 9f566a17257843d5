import { namesTag } from "../http/etags.ts";
import { Problem } from "../problems.ts";
import type { Filter, Stored } from "../store/port.ts";
import { ALL } from "../store/filter.ts";
import { etagOf } from "./document.ts";

/**
 * The condition under which a write holds its `If-Match`: the document is still the one whose tag
 * was compared. Throws `PRECONDITION_FAILED` when the tag is another already.
 */
export function unchangedSince(current: Stored, ifMatch: string): Filter {
  if (ifMatch.trim() === "*") return ALL;
  if (!namesTag(ifMatch, etagOf(current), false)) throw new Problem("PRECONDITION_FAILED");
  return { op: "revision", value: current.revision };
}
