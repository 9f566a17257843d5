import type { Caller } from "../auth/principals.ts";
import { type UserRecord, USERS } from "../auth/users.ts";
import { ANSWER_BYTES_MAX, LIST_LIMIT_MAX } from "../limits.ts";
import { nextTurn } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { and, within } from "../store/filter.ts";
import { bytesOf, jsonText, parseJson } from "../store/json_text.ts";
import type { Filter, Id, Json, Records, StoredRecord } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import type { AnswerSize } from "./answer_size.ts";
import { type AccessServices, openForReading } from "./access.ts";
import type { Collection } from "./collection.ts";
import type { Members } from "./document.ts";
import { EmbeddedTexts } from "./embedded.ts";
import { type Part, partBehind, partOf } from "./projection.ts";
import { type Presentation, refTarget } from "./query.ts";
import { stepsOf } from "./steps.ts";

/** Of the targets that are read at once. */
const STEP_BYTES = 2 * 1_048_576;

/** A path whose ids are followed. */
interface Reference {
  readonly names: readonly string[];
  /** The collection that they are of. */
  readonly target: string;
  /** Which part of a target is shown. */
  readonly part: Part;
  /** What was found; null for ids whose documents are missing or may not be seen. */
  readonly found: Map<Id, PopulatedTarget | null>;
}

/** What stands in the place of an id, however often. */
interface PopulatedTarget {
  readonly value: string;
  readonly bytes: number;
}

interface Populated {
  readonly collection: Collection;
  readonly presentation: Pick<Presentation, "populate" | "projection">;
  readonly size: AnswerSize;
}

/**
 * Puts documents in the place of the ids that refer to them, one level deep. What the caller may
 * not see stays an id. A target is read once for an answer, and no more of it kept than is shown.
 */
export class Populator {
  readonly #services: AccessServices;
  readonly #caller: Caller;
  readonly #size: AnswerSize;
  readonly #references: readonly Reference[];
  readonly #texts = new EmbeddedTexts();
  #keptBytes = 0;

  constructor(services: AccessServices, caller: Caller, populated: Populated) {
    this.#services = services;
    this.#caller = caller;
    this.#size = populated.size;
    this.#references = referencesOf(populated);
  }

  /**
   * Changes the documents in place. Resolves to how many bytes each of them got: they are not yet
   * counted as shown. Throws `ANSWER_TOO_LARGE`.
   */
  async into(documents: readonly Members[]): Promise<number[]> {
    const bytes = documents.map(() => 0);
    for (const reference of this.#references) {
      const places = documents.map((document) => placesOf(document, reference.names));
      await this.#read(reference, new Set(places.flat().map(({ id }) => id)));
      for (const [index, those] of places.entries()) {
        for (const { put, id } of those) {
          const target = reference.found.get(id);
          if (target == null) continue;
          put(target.value);
          bytes[index]! += target.bytes;
        }
      }
    }
    return bytes;
  }

  /** The JSON text of a document, or of what is shown of it, after {@linkcode into}. */
  text(document: Members): string {
    return this.#texts.write(document);
  }

  async #read({ target, part, found }: Reference, ids: Iterable<Id>): Promise<void> {
    const missing = [...ids].filter((id) => !found.has(id));
    if (missing.length === 0) return;
    for (const id of missing) found.set(id, null);
    for await (const texts of targetTexts(this.#services, this.#caller, target, missing)) {
      for (const text of texts) {
        this.#size.read(text);
        const shown = shownTarget(text, target, part);
        const bytes = bytesOf(shown);
        found.set(idOf(text), { value: this.#texts.add(shown), bytes });
        // Each will be shown once at least.
        this.#keptBytes += bytes;
        if (this.#keptBytes > ANSWER_BYTES_MAX) throw new Problem("ANSWER_TOO_LARGE");
      }
    }
  }
}

/** Those whose documents would be seen in the answer. */
function referencesOf({ collection, presentation }: Populated): Reference[] {
  return presentation.populate.flatMap((path) => {
    const { name: target, isList } = refTarget(collection, path)!;
    const names = path.split(".");
    const part = partBehind(presentation.projection, names, isList);
    return part === "nothing" ? [] : [{ names, target, part, found: new Map() }];
  });
}

interface ReferencePlace {
  readonly id: Id;
  put(target: string): void;
}

function placesOf(holder: Json, [name, ...rest]: readonly string[]): ReferencePlace[] {
  if (name === undefined || !isObject(holder) || !Object.hasOwn(holder, name)) return [];
  const value = holder[name]!;
  if (rest.length > 0) return placesOf(value, rest);
  if (typeof value === "string") {
    return [{ id: value, put: (target) => void (holder[name] = target) }];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((id, i) =>
    typeof id === "string" ? [{ id, put: (target: string) => void (value[i] = target) }] : []
  );
}

/** Texts of the documents that the caller may see, some at a time. */
async function* targetTexts(
  services: AccessServices,
  caller: Caller,
  name: string,
  ids: readonly Id[],
): AsyncGenerator<readonly string[]> {
  if (name === "users") {
    yield* textsOf(services.engine.records<UserRecord>(caller.projectId, USERS), and(), ids);
    return;
  }
  const target = await openTarget(services, caller, name);
  if (target !== null) yield* textsOf(target.records, target.visible(false), ids);
}

/** Null for a collection that is gone, or needs a signed-in user: its ids stay ids. */
async function openTarget(services: AccessServices, caller: Caller, name: string) {
  try {
    return await openForReading(services, caller, name);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

async function* textsOf<T extends StoredRecord>(
  records: Records<T>,
  visible: Filter,
  ids: readonly Id[],
): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < ids.length; at += LIST_LIMIT_MAX) {
    const batch = ids.slice(at, at + LIST_LIMIT_MAX);
    const query = { filter: and(within("_id", batch), visible), sort: [], limit: batch.length };
    for await (const { texts, more } of stepsOf(records, query, STEP_BYTES)) {
      yield texts;
      if (more) await nextTurn();
    }
    if (at + LIST_LIMIT_MAX < ids.length) await nextTurn();
  }
}

/** Of other users no more is shown than what an avatar needs. */
function shownTarget(text: string, target: string, part: Part): string {
  if (target !== "users" && part === "all") return text;
  const record = parseJson(text) as Members;
  if (target !== "users") return jsonText(partOf(record, part));
  const { _id, name, avatarUrl } = record;
  return jsonText(
    partOf({ _id: _id!, name: name ?? null, avatarUrl: avatarUrl ?? null }, part),
  );
}

/** Every record's text begins with its id. */
const ID_FROM = '{"_id":"'.length;
const ID_LENGTH = 24;
const idOf = (text: string): Id => text.slice(ID_FROM, ID_FROM + ID_LENGTH);
