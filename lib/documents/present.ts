import type { Caller } from "../auth/principals.ts";
import { nextTurn } from "../next_turn.ts";
import { bytesOf } from "../store/json_text.ts";
import { recordsIn } from "../store/texts.ts";
import type { AnswerSize } from "./answer_size.ts";
import type { Collection } from "./collection.ts";
import type { Members } from "./document.ts";
import { type PopulateServices, Populator } from "./populate.ts";
import { createProjection, project } from "./projection.ts";
import type { Presentation } from "./query.ts";

const WITHOUT_META = createProjection(["createdAt", "updatedAt", "isDeleted", "deletedAt"], true);

/** Whether documents are returned exactly as they are stored. */
export const isPlain = ({ projection, meta, populate }: Presentation): boolean =>
  projection === null && meta && populate.length === 0;

/** Number of characters that are parsed before other requests get their turn. */
const SLICE_LENGTH = 262_144;

export interface PresentInput {
  readonly collection: Collection;
  readonly presentation: Presentation;
  readonly size: AnswerSize;
}

/**
 * Returns a function that projects and populates JSON texts. Throws `INVALID_QUERY`; the returned
 * function throws `ANSWER_TOO_LARGE`.
 */
export async function openPresenter(services: PopulateServices, caller: Caller, how: PresentInput) {
  const { presentation, size } = how;
  const populator = await Populator.open(services, caller, how);
  return async (texts: readonly string[]): Promise<string[]> => {
    if (isPlain(presentation)) return [...texts];
    const presented: string[] = [];
    for (const slice of slicesOf(texts)) {
      if (presented.length > 0) await nextTurn();
      const documents = recordsIn<Members>(slice.join(","));
      const populated = await populator.populate(documents);
      for (const [i, document] of documents.entries()) {
        // Checked before the text is built, because a target may be embedded many times.
        size.addSent(populated[i]!);
        const text = populator.text(applyPresentation(document, presentation));
        size.addSent(bytesOf(text) + 1 - populated[i]!);
        presented.push(text);
      }
    }
    return presented;
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

export function applyPresentation(
  document: Members,
  { meta, projection }: Pick<Presentation, "meta" | "projection">,
): Members {
  const kept = meta ? document : project(document, WITHOUT_META);
  return projection === null ? kept : project(kept, projection);
}
