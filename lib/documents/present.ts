import type { Caller } from "../auth/principals.ts";
import { nextTurn } from "../next_turn.ts";
import { bytesOf } from "../store/json_text.ts";
import { recordsIn } from "../store/texts.ts";
import type { AnswerSize } from "./answer_size.ts";
import type { Collection } from "./collection.ts";
import type { Members } from "./document.ts";
import { type PopulateServices, Populator } from "./populate.ts";
import { projected, projectionOf } from "./projection.ts";
import type { Presentation } from "./query.ts";

const WITHOUT_META = projectionOf(["createdAt", "updatedAt", "isDeleted", "deletedAt"], true);

/** Whether documents are to be shown just as they are stored. */
export const isPlain = ({ projection, meta, populate }: Presentation): boolean =>
  projection === null && meta && populate.length === 0;

/** Documents that are parsed at once; others get their turn behind them. */
const SLICE_LENGTH = 262_144;

export interface Shown {
  readonly collection: Collection;
  readonly presentation: Presentation;
  readonly size: AnswerSize;
}

/**
 * Makes JSON texts of documents as the query wants them shown. What is shown as stored is never
 * parsed. Throws `INVALID_QUERY`, and what it makes `ANSWER_TOO_LARGE`.
 */
export async function presenter(services: PopulateServices, caller: Caller, shown: Shown) {
  const { presentation, size } = shown;
  const populator = await Populator.open(services, caller, shown);
  return async (texts: readonly string[]): Promise<string[]> => {
    if (isPlain(presentation)) return [...texts];
    const made: string[] = [];
    for (const slice of slicesOf(texts)) {
      if (made.length > 0) await nextTurn();
      const documents = recordsIn<Members>(slice.join(","));
      const populated = await populator.into(documents);
      for (const [i, document] of documents.entries()) {
        size.show(populated[i]!); // Refused before it becomes text: the same may stand there often.
        const text = populator.text(partShown(document, presentation));
        size.show(bytesOf(text) + 1 - populated[i]!);
        made.push(text);
      }
    }
    return made;
  };
}

function* slicesOf(texts: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < texts.length;) {
    let to = from;
    for (let length = 0; to < texts.length && length < SLICE_LENGTH; to++) {
      length += texts[to]!.length;
    }
    yield texts.slice(from, to);
    from = to;
  }
}

/** What is shown of a document that shows no others. */
export function partShown(
  document: Members,
  { meta, projection }: Pick<Presentation, "meta" | "projection">,
): Members {
  const kept = meta ? document : projected(document, WITHOUT_META);
  return projection === null ? kept : projected(kept, projection);
}
