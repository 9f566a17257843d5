/** Documents of 300 B to 4 KB and the indexes of all benchmarks. */

/** Reproducible pseudo-random numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 to less than 1 (Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to less than `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

export const STATUSES = ["draft", "review", "planned", "published", "archived"] as const;
export const VIEWS_MAX = 10_000;
export const TAG_COUNT = 200;
export const CITY_COUNT = 500;

/** Maximum length of the text. Most texts are much shorter. */
const TEXT_CHARACTERS_MAX = 3_600;

export const WORDS = [
  ..."amber basin cedar delta ember fjord grove haven inlet jetty kelp ledge meadow north orchard"
    .split(" "),
  ..."pine quarry ridge shore timber upland valley willow yonder zenith brook cliff dune field glade"
    .split(" "),
];

const words = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(WORDS)).join(" ");

interface Field {
  readonly key: string;
  readonly type: string;
  readonly search?: boolean;
  readonly items?: Omit<Field, "key">;
  readonly fields?: readonly Field[];
}

export const FIELDS: readonly Field[] = [
  { key: "userId", type: "String" },
  { key: "title", type: "String", search: true },
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "rating", type: "Number" },
  { key: "tags", type: "Array", items: { type: "String" } },
  {
    key: "place",
    type: "Object",
    fields: [{ key: "city", type: "String" }, { key: "floor", type: "Number" }],
  },
  { key: "text", type: "String" },
];

/** Declared indexes. Corbel adds indexes over the time of creation, with and without the owner. */
export const INDEXES = [
  { fields: ["status", "views"] },
  { fields: ["views"] },
  { fields: ["place.city", "createdAt"] },
  { fields: ["tags", "createdAt"] },
];

/** A definition without features that other products lack: search words and indexes over lists. */
export const PLAIN_DEFINITION = {
  fields: FIELDS.map(({ search: _, ...field }) => field),
  indexes: INDEXES.filter(({ fields }) => !fields.includes("tags")),
};

export type Post = ReturnType<typeof post>;

/** A document as Corbel answers it. */
export interface StoredPost extends Post {
  readonly _id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isDeleted: boolean;
  readonly deletedAt: string | null;
}

/**
 * Returns a random document.
 * @param scale Factor of the numbers of cities, tags and views, to keep the documents per value
 * constant.
 */
export function post(random: Random, owners: readonly string[], scale = 1) {
  const tags = TAG_COUNT * scale / 2;
  const characters = TEXT_CHARACTERS_MAX * random.next() ** 4;
  return {
    userId: random.pick(owners),
    title: `${words(random, 4)} ${random.below(1_000_000)}`,
    status: random.pick(STATUSES),
    views: random.below(VIEWS_MAX * scale),
    rating: random.below(10_000) / 100,
    tags: [`tag${random.below(tags)}`, `tag${tags + random.below(tags)}`],
    place: { city: `city${random.below(CITY_COUNT * scale)}`, floor: random.below(30) },
    text: words(random, 1 + Math.floor(characters / 6)),
  };
}
