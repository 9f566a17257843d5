import type { Caller } from "../auth/principals.ts";
import { type DeclaredUserField, toPublicProfile } from "../auth/public_profile.ts";
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
import { isCollectionTarget, resolveLinks, type TargetLink } from "./populate_links.ts";
import { populatedFiles } from "./populated_files.ts";
import { takePart } from "./projection.ts";
import type { Presentation } from "./query.ts";
import { questionShape } from "./question_shape.ts";
import type { SlowQuestions } from "./slow_questions.ts";
import { readInSteps } from "./steps.ts";

/** Targets that are read at once. */
const STEP_BYTES = 2 * 1_048_576;
/** Documents whose referrers are read at once: each may have a hundred. */
const REFERRED_BATCH_MAX = 100;

export interface PopulateServices extends AccessServices {
  /** Records the cost of finding documents that refer back. */
  readonly slowQuestions: Pick<SlowQuestions, "watch">;
}

const NEWEST_FIRST = [{ path: "createdAt", descending: true }];

/** A presented target, which may be embedded several times. */
interface PopulatedTarget {
  /** Placeholder of the text. */
  readonly value: string;
  readonly bytes: number;
}

interface PopulateInput {
  readonly collection: Collection;
  readonly presentation: Pick<Presentation, "populate" | "projection">;
  readonly size: AnswerSize;
}

/**
 * Replaces ids and paths by the documents and files to which they refer, and adds lists of those
 * that refer back. A target that the caller may not see stays an id, or is left out of its list.
 * Targets are read in batches, once per answer; only their presented part stays in memory.
 */
export class Populator {
  readonly #services: PopulateServices;
  readonly #caller: Caller;
  readonly #size: AnswerSize;
  readonly #links: readonly TargetLink[];
  readonly #userFields: readonly DeclaredUserField[];
  readonly #texts = new EmbeddedTexts();
  /** Targets by link and id; null if a document is missing or the caller may not see it. */
  readonly #targets = new Map<TargetLink, Map<Id, PopulatedTarget | null>>();
  #fileCount = 0;
  /** Bytes of the distinct targets at each level. */
  readonly #levelBytes: number[] = [];

  private constructor(
    { services, caller }: { services: PopulateServices; caller: Caller },
    { size, links, userFields }: {
      size: AnswerSize;
      links: readonly TargetLink[];
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
    { collection, presentation: { populate, projection }, size }: PopulateInput,
  ): Promise<Populator> {
    const links = populate.length === 0
      ? []
      : await resolveLinks(services, caller, { collection, paths: populate, projection });
    const { projectId } = caller;
    const userFields = links.length === 0 ? [] : await services.userFields.ofProject(projectId);
    return new Populator({ services, caller }, { size, links, userFields });
  }

  /** Returns the bytes added to each document, not yet counted. Throws `ANSWER_TOO_LARGE`. */
  populate(documents: readonly Members[]): Promise<number[]> {
    return this.#populateLevel(documents, this.#links, 0);
  }

  text(document: Members): string {
    return this.#texts.write(document);
  }

  async #populateLevel(
    documents: readonly Members[],
    links: readonly TargetLink[],
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

  async #follow(link: TargetLink, documents: readonly Members[], level: number): Promise<number[]> {
    const slotsByDocument = documents.map((document) => findReferences(document, link.names));
    let targets = this.#targets.get(link);
    if (targets === undefined) this.#targets.set(link, targets = new Map());
    const ids = new Set(slotsByDocument.flat().map(({ id }) => id));
    const missing = [...ids].filter((id) => !targets.has(id));
    for (const id of missing) targets.set(id, null);
    for await (const [id, text] of this.#readTargets(link, missing, level)) {
      targets.set(id, { value: this.#texts.add(text), bytes: bytesOf(text) });
    }
    return slotsByDocument.map((slots) => {
      let bytes = 0;
      for (const { replace, id } of slots) {
        const target = targets.get(id);
        if (target == null) continue;
        replace(target.value);
        bytes += target.bytes;
      }
      return bytes;
    });
  }

  async #gather(link: TargetLink, documents: readonly Members[], level: number): Promise<number[]> {
    const added: number[] = [];
    for (let at = 0; at < documents.length; at += REFERRED_BATCH_MAX) {
      const batch = documents.slice(at, at + REFERRED_BATCH_MAX);
      const referrers = await this.#referrers(link, batch.map(({ _id }) => _id as Id));
      const texts = new Map<Id, string>();
      const ids = [...referrers.values()].flat();
      for await (const [id, text] of this.#readTargets(link, ids, level)) texts.set(id, text);
      for (const document of batch) {
        const referrerIds = referrers.get(document._id as Id) ?? [];
        const list = `[${referrerIds.flatMap((id) => texts.get(id) ?? []).join(",")}]`;
        document[link.names[0]!] = this.#texts.add(list);
        added.push(bytesOf(list));
      }
    }
    return added;
  }

  async #referrers(
    { target, by }: TargetLink,
    among: readonly Id[],
  ): Promise<ReadonlyMap<Id, readonly Id[]>> {
    if (!isCollectionTarget(target)) return new Map();
    const { projectId, collection } = target;
    const [path, ids, filter] = [by!, [...new Set(among)], target.visible(false)];
    const shape = questionShape(collection, {
      filter: and(eq(path, null), filter),
      sort: NEWEST_FIRST,
      total: "none",
    });
    const question = { projectId, records: target.records, shape };
    try {
      return await this.#services.slowQuestions.watch(
        question,
        (records) =>
          records.referrers({ path, ids, filter, sort: NEWEST_FIRST, limit: REFERRERS_MAX }),
      );
    } catch (error) {
      if (!(error instanceof QueryTooSlow)) throw error;
      const { name } = collection.definition;
      throw new QueryTooSlow(error.index, { cause: error, collection: name });
    }
  }

  /** Yields ids and presented texts of the targets that the caller may see. */
  async *#readTargets(
    link: TargetLink,
    ids: readonly Id[],
    level: number,
  ): AsyncGenerator<readonly [Id, string]> {
    if (link.target === "files") return yield* this.#readFiles(link, ids, level);
    for await (const texts of targetTexts(this.#services, this.#caller, { link, ids })) {
      for (const text of texts) this.#size.addRead(text);
      for (const [i, text] of (await this.#present(link, texts, level)).entries()) {
        this.#addBytes(level, bytesOf(text));
        yield [idOf(texts[i]!), text];
      }
    }
  }

  async *#readFiles(
    { part }: TargetLink,
    paths: readonly string[],
    level: number,
  ): AsyncGenerator<readonly [string, string]> {
    this.#fileCount += paths.length;
    if (this.#fileCount > POPULATED_FILES_MAX) {
      const message =
        `The answer would show more than ${POPULATED_FILES_MAX} files: ask for fewer ` +
        "documents at once.";
      throw new Problem("ANSWER_TOO_LARGE", { message });
    }
    for await (const file of populatedFiles(this.#services, this.#caller.projectId, paths)) {
      const text = this.#texts.write(takePart({ ...file }, part));
      this.#addBytes(level, bytesOf(text));
      yield [file.path, text];
    }
  }

  async #present(
    link: TargetLink,
    texts: readonly string[],
    level: number,
  ): Promise<readonly string[]> {
    const { target, part, links } = link;
    if (links.length === 0 && target !== "users" && part === "all") return texts;
    const records = await recordsOfTexts<Members>(texts);
    const documents = target === "users"
      ? records.map((user) => toPublicProfile(this.#userFields, user))
      : records;
    const added = await this.#populateLevel(documents, links, level + 1);
    // Checked before the text is built, because a target may be embedded many times.
    this.#assertBytes(added.reduce((sum, bytes) => sum + bytes, this.#levelBytes[level] ?? 0));
    return documents.map((document) => this.#texts.write(takePart(document, part)));
  }

  #addBytes(level: number, bytes: number): void {
    const total = (this.#levelBytes[level] ?? 0) + bytes;
    this.#assertBytes(total);
    this.#levelBytes[level] = total;
  }

  #assertBytes(bytes: number): void {
    if (bytes > ANSWER_BYTES_MAX) throw new Problem("ANSWER_TOO_LARGE");
  }
}

interface ReferenceSlot {
  readonly id: Id;
  replace(target: string): void;
}

function findReferences(holder: Json, [name, ...rest]: readonly string[]): ReferenceSlot[] {
  if (name === undefined || !isObject(holder) || !Object.hasOwn(holder, name)) return [];
  const value = holder[name]!;
  if (rest.length > 0) return findReferences(value, rest);
  if (typeof value === "string") {
    return [{ id: value, replace: (target) => void (holder[name] = target) }];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((id, i) =>
    typeof id === "string" ? [{ id, replace: (target: string) => void (value[i] = target) }] : []
  );
}

/** Yields texts of the targets that the caller may see, in steps. */
async function* targetTexts(
  { engine }: AccessServices,
  { projectId }: Caller,
  { link: { target }, ids }: { link: TargetLink; ids: readonly Id[] },
): AsyncGenerator<readonly string[]> {
  if (target === "users") {
    yield* readVisibleTexts(engine.records<UserRecord>(projectId, USERS), and(), ids);
  } else if (isCollectionTarget(target)) {
    yield* readVisibleTexts(target.records, target.visible(false), ids);
  }
}

async function* readVisibleTexts<T extends StoredRecord>(
  records: Records<T>,
  visible: Filter,
  ids: readonly Id[],
): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < ids.length; at += LIST_LIMIT_MAX) {
    const batch = ids.slice(at, at + LIST_LIMIT_MAX);
    const query = { filter: and(within("_id", batch), visible), sort: [], limit: batch.length };
    for await (const { texts, more } of readInSteps(records, query, STEP_BYTES)) {
      yield texts;
      if (more) await nextTurn();
    }
    if (at + LIST_LIMIT_MAX < ids.length) await nextTurn();
  }
}

/** Offset of the id in a record's text, in characters. */
const ID_FROM = '{"_id":"'.length;
const ID_LENGTH = 24;
const idOf = (text: string): Id => text.slice(ID_FROM, ID_FROM + ID_LENGTH);
