import type { Caller } from "../auth/principals.ts";
import { type DeclaredUserField, publicProfile } from "../auth/public_profile.ts";
import { type UserRecord, USERS } from "../auth/users.ts";
import { ANSWER_BYTES_MAX, LIST_LIMIT_MAX, POPULATED_FILES_MAX, REFERRERS_MAX } from "../limits.ts";
import { nextTurn } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { and, eq, within } from "../store/filter.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { bytesOf } from "../store/json_text.ts";
import type { Filter, Id, Json, Records, StoredRecord } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { recordsOfTexts } from "../store/texts.ts";
import type { AnswerSize } from "./answer_size.ts";
import type { AccessServices } from "./access.ts";
import type { Collection } from "./collection.ts";
import type { Members } from "./document.ts";
import { EmbeddedTexts } from "./embedded.ts";
import { isCollection, type Link, linksOf } from "./populate_links.ts";
import { populatedFiles } from "./populated_files.ts";
import { partOf } from "./projection.ts";
import type { Presentation } from "./query.ts";
import { questionShape } from "./question_shape.ts";
import type { SlowQuestions } from "./slow_questions.ts";
import { stepsOf } from "./steps.ts";

/** Of the targets that are read at once. */
const STEP_BYTES = 2 * 1_048_576;
/** Documents whose referrers are asked for at once: each may have a hundred. */
const HOLDERS_AT_ONCE = 100;

export interface PopulateServices extends AccessServices {
  /** Counts what it costs to find those that refer back. */
  readonly slowQuestions: Pick<SlowQuestions, "watch">;
}

const NEWEST_FIRST = [{ path: "createdAt", descending: true }];

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
 * Puts documents and files in the place of the ids and paths that refer to them, and beside them
 * documents that refer back. What the caller may not see stays an id, or is left out. A target is
 * read once for an answer, and no more of it kept than is shown. The store is asked for many
 * documents at once, level by level.
 */
export class Populator {
  readonly #services: PopulateServices;
  readonly #caller: Caller;
  readonly #size: AnswerSize;
  readonly #links: readonly Link[];
  readonly #userFields: readonly DeclaredUserField[];
  readonly #texts = new EmbeddedTexts();
  /** By link, what was found for ids; null for those whose documents are missing or not to be seen. */
  readonly #found = new Map<Link, Map<Id, PopulatedTarget | null>>();
  /** How many files were asked for. */
  #files = 0;
  /** Bytes of what was found at each level: all of a level is shown once at least. */
  readonly #keptBytes: number[] = [];

  private constructor(
    { services, caller }: { services: PopulateServices; caller: Caller },
    { size, links, userFields }: {
      size: AnswerSize;
      links: readonly Link[];
      userFields: readonly DeclaredUserField[];
    },
  ) {
    this.#services = services;
    this.#caller = caller;
    this.#size = size;
    this.#links = links;
    this.#userFields = userFields;
  }

  /** Throws `INVALID_QUERY`. */
  static async open(
    services: PopulateServices,
    caller: Caller,
    { collection, presentation: { populate, projection }, size }: Populated,
  ): Promise<Populator> {
    const links = populate.length === 0
      ? []
      : await linksOf(services, caller, { collection, paths: populate, projection });
    const userFields = links.length === 0 ? [] : await services.userFields.of(caller.projectId);
    return new Populator({ services, caller }, { size, links, userFields });
  }

  /**
   * Changes the documents in place. Resolves to how many bytes each of them got: they are not yet
   * counted as shown. Throws `ANSWER_TOO_LARGE`.
   */
  into(documents: readonly Members[]): Promise<number[]> {
    return this.#into(documents, this.#links, 0);
  }

  /** The JSON text of a document, or of what is shown of it, after {@linkcode into}. */
  text(document: Members): string {
    return this.#texts.write(document);
  }

  async #into(
    documents: readonly Members[],
    links: readonly Link[],
    level: number,
  ): Promise<number[]> {
    const bytes = documents.map(() => 0);
    for (const link of links) {
      const added = link.by === null
        ? await this.#follow(link, documents, level)
        : await this.#gather(link, documents, level);
      for (const [i, more] of added.entries()) bytes[i]! += more;
    }
    return bytes;
  }

  /** Puts targets in the place of their ids. */
  async #follow(link: Link, documents: readonly Members[], level: number): Promise<number[]> {
    const places = documents.map((document) => placesOf(document, link.names));
    let found = this.#found.get(link);
    if (found === undefined) this.#found.set(link, found = new Map());
    const ids = new Set(places.flat().map(({ id }) => id));
    const missing = [...ids].filter((id) => !found.has(id));
    for (const id of missing) found.set(id, null);
    for await (const [id, text] of this.#shown(link, missing, level)) {
      found.set(id, { value: this.#texts.add(text), bytes: bytesOf(text) });
    }
    return places.map((those) => {
      let bytes = 0;
      for (const { put, id } of those) {
        const target = found.get(id);
        if (target == null) continue;
        put(target.value);
        bytes += target.bytes;
      }
      return bytes;
    });
  }

  /** Puts lists of those that refer to a document beside its members. */
  async #gather(link: Link, documents: readonly Members[], level: number): Promise<number[]> {
    const added: number[] = [];
    for (let at = 0; at < documents.length; at += HOLDERS_AT_ONCE) {
      const batch = documents.slice(at, at + HOLDERS_AT_ONCE);
      const referrers = await this.#referrers(link, batch.map(({ _id }) => _id as Id));
      const texts = new Map<Id, string>();
      const ids = [...referrers.values()].flat();
      for await (const [id, text] of this.#shown(link, ids, level)) texts.set(id, text);
      for (const document of batch) {
        const those = referrers.get(document._id as Id) ?? [];
        const list = `[${those.flatMap((id) => texts.get(id) ?? []).join(",")}]`;
        document[link.names[0]!] = this.#texts.add(list);
        added.push(bytesOf(list));
      }
    }
    return added;
  }

  async #referrers(
    { target, by }: Link,
    among: readonly Id[],
  ): Promise<ReadonlyMap<Id, readonly Id[]>> {
    if (!isCollection(target)) return new Map();
    const { projectId, collection } = target;
    const [path, ids, filter] = [by!, [...new Set(among)], target.visible(false)];
    const shape = questionShape(collection, {
      filter: and(eq(path, null), filter),
      sort: NEWEST_FIRST,
      total: "none",
    });
    const asked = { projectId, records: target.records, shape };
    try {
      return await this.#services.slowQuestions.watch(
        asked,
        (records) =>
          records.referrers({ path, ids, filter, sort: NEWEST_FIRST, limit: REFERRERS_MAX }),
      );
    } catch (error) {
      if (!(error instanceof QueryTooSlow)) throw error;
      const { name } = collection.definition;
      throw new QueryTooSlow(error.index, { cause: error, collection: name });
    }
  }

  /** Ids and shown texts of the targets that the caller may see, with what is put into them. */
  async *#shown(
    link: Link,
    ids: readonly Id[],
    level: number,
  ): AsyncGenerator<readonly [Id, string]> {
    if (link.target === "files") return yield* this.#shownFiles(link, ids, level);
    for await (const texts of targetTexts(this.#services, this.#caller, { link, ids })) {
      for (const text of texts) this.#size.read(text);
      for (const [i, text] of (await this.#made(link, texts, level)).entries()) {
        this.#keep(level, bytesOf(text));
        yield [idOf(texts[i]!), text];
      }
    }
  }

  async *#shownFiles(
    { part }: Link,
    paths: readonly string[],
    level: number,
  ): AsyncGenerator<readonly [string, string]> {
    this.#files += paths.length;
    if (this.#files > POPULATED_FILES_MAX) {
      const message =
        `The answer would show more than ${POPULATED_FILES_MAX} files: ask for fewer ` +
        "documents at once.";
      throw new Problem("ANSWER_TOO_LARGE", { message });
    }
    for await (const file of populatedFiles(this.#services, this.#caller.projectId, paths)) {
      const text = this.#texts.write(partOf({ ...file }, part));
      this.#keep(level, bytesOf(text));
      yield [file.path, text];
    }
  }

  async #made(link: Link, texts: readonly string[], level: number): Promise<readonly string[]> {
    const { target, part, links } = link;
    if (links.length === 0 && target !== "users" && part === "all") return texts;
    const records = await recordsOfTexts<Members>(texts);
    const documents = target === "users"
      ? records.map((user) => publicProfile(this.#userFields, user))
      : records;
    const added = await this.#into(documents, links, level + 1);
    // Refused before it becomes text: the same may stand there often.
    this.#assertKept(added.reduce((sum, bytes) => sum + bytes, this.#keptBytes[level] ?? 0));
    return documents.map((document) => this.#texts.write(partOf(document, part)));
  }

  #keep(level: number, bytes: number): void {
    const kept = (this.#keptBytes[level] ?? 0) + bytes;
    this.#assertKept(kept);
    this.#keptBytes[level] = kept;
  }

  #assertKept(bytes: number): void {
    if (bytes > ANSWER_BYTES_MAX) throw new Problem("ANSWER_TOO_LARGE");
  }
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
  { engine }: AccessServices,
  { projectId }: Caller,
  { link: { target }, ids }: { link: Link; ids: readonly Id[] },
): AsyncGenerator<readonly string[]> {
  if (target === "users") {
    yield* textsOf(engine.records<UserRecord>(projectId, USERS), and(), ids);
  } else if (isCollection(target)) {
    yield* textsOf(target.records, target.visible(false), ids);
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

/** Every record's text begins with its id. */
const ID_FROM = '{"_id":"'.length;
const ID_LENGTH = 24;
const idOf = (text: string): Id => text.slice(ID_FROM, ID_FROM + ID_LENGTH);
