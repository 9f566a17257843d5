/**
 * The kinds of request that are measured, as they are sent to Corbel; what the same is elsewhere is
 * told by each of the others, by the question's name. Every request has other values, so that no
 * side answers from memory.
 */
import { CITIES, post, type Random, STATUSES, TAGS, VIEWS_MAX, WORDS } from "./documents.ts";
import type { Sent } from "./load.ts";
import type { Seeded, SignedIn } from "./seed.ts";

/** The place behind a page, as Corbel and as others are told it. */
export interface PagePosition {
  readonly cursor: string;
  readonly createdAt: string;
  readonly id: string;
}

/** What values are chosen from. */
export interface Known extends Pick<Seeded, "ids" | "users" | "scale"> {
  readonly positions: readonly PagePosition[];
}

/** What differs from request to request. */
export interface Values {
  readonly [name: string]: string | number;
}

export interface Question {
  readonly name: string;
  readonly what: string;
  /** 32 unless given. */
  readonly connections?: number;
  readonly method?: "POST" | "PATCH";
  /** Whether it is asked with the publishable key and a user's token. */
  readonly isPrivate?: boolean;
  values(random: Random, known: Known): Values;
  /** The path behind `/api/data/`. */
  path(values: Values): string;
}

export const isRead = ({ method }: Question): boolean => method === undefined;

/** Corbel's processor time per request over a bare program's, at most. */
export const atMostOf = (question: Question): number => isRead(question) ? 3 : 2.8;

const RANGE = VIEWS_MAX / 20;

/** A bound that hardly any other request has, so that no side knows the text of a question. */
const anywhere = (random: Random, below: number): number => random.below(below * 1_000) / 1_000;

const ownedPage = (random: Random, { users }: Known) => {
  const { userId, token } = random.pick(users) satisfies SignedIn;
  return { userId, token, page: 1 + random.below(8) };
};

const created = (random: Random, { users }: Known) => ({
  body: JSON.stringify(post(random, users.map(({ userId }) => userId))),
});

export const QUESTIONS: readonly Question[] = [
  {
    name: "by_id",
    what: "a document by its id",
    values: (random, { ids }) => ({ id: random.pick(ids) }),
    path: ({ id }) => `posts/${id}`,
  },
  {
    name: "newest",
    what: "the newest 20 and the total",
    values: () => ({}),
    path: () => "posts?limit=20",
  },
  {
    name: "page_deep",
    what: "20 of the newest behind a cursor, anywhere, and the total",
    values: (random, { positions }) => ({ ...random.pick(positions) }),
    path: ({ cursor }) => `posts?limit=20&cursor=${cursor}`,
  },
  {
    name: "page_offset",
    what: "100 of the newest, any of 90 pages, and the total",
    values: (random) => ({ page: 1 + random.below(90) }),
    path: ({ page }) => `posts?limit=100&page=${page}`,
  },
  {
    name: "owner_pages",
    what: "an owner's newest, 20 of page 1 to 8, and their total",
    values: ownedPage,
    path: ({ userId, page }) => `posts?limit=20&userId=${userId}&page=${page}`,
  },
  {
    name: "owner_private",
    what: "the same as the owner, by their token under RLS",
    isPrivate: true,
    values: ownedPage,
    path: ({ page }) => `posts?limit=20&page=${page}`,
  },
  {
    name: "filter_range_sort",
    what: "20 of a status and a range of views, by views, and their total",
    values: (random, { scale }) => {
      const from = anywhere(random, VIEWS_MAX * scale - RANGE);
      return { status: random.pick(STATUSES), from, until: from + RANGE };
    },
    path: ({ status, from, until }) =>
      `posts?limit=20&status=${status}&views_gte=${from}&views_lt=${until}&sort=-views`,
  },
  {
    name: "range_sort",
    what: "20 of a range of views, by views",
    values: (random, { scale }) => ({ from: anywhere(random, VIEWS_MAX * scale) }),
    path: ({ from }) => `posts?limit=20&views_gte=${from}&sort=views&total=none`,
  },
  {
    name: "in_list",
    what: "the newest 20 with one of five numbers of views, and their total",
    values: (random, { scale }) => ({
      views: Array.from({ length: 5 }, () => random.below(VIEWS_MAX * scale)).join(),
    }),
    path: ({ views }) => `posts?limit=20&views_in=${views}`,
  },
  {
    name: "array_has",
    what: "the newest 20 with a tag, and their total",
    values: (random, { scale }) => ({ tag: `tag${random.below(TAGS * scale)}` }),
    path: ({ tag }) => `posts?limit=20&tags=${tag}`,
  },
  {
    name: "nested",
    what: "the newest 20 of a city, a declared member of an Object, and their total",
    values: (random, { scale }) => ({ city: `city${random.below(CITIES * scale)}` }),
    path: ({ city }) => `posts?limit=20&place.city=${city}`,
  },
  {
    name: "search",
    what: "the newest 20 with two words in their title, and their total",
    values: (random) => ({ words: `${random.pick(WORDS)} ${random.pick(WORDS)}` }),
    path: ({ words }) => `posts?limit=20&search=${encodeURIComponent(words!)}`,
  },
  {
    name: "contains",
    what: "the newest 20 with a text in their title, without an index, and their total",
    values: (random) => ({ text: `R ${100 + random.below(900)}` }),
    path: ({ text }) => `small?limit=20&title_contains=${encodeURIComponent(text!)}`,
  },
  {
    name: "unindexed",
    what: "the newest 20 in a range of a field without an index, and their total",
    values: (random) => {
      const from = anywhere(random, 95);
      return { from, until: from + 5 };
    },
    path: ({ from, until }) => `small?limit=20&rating_gte=${from}&rating_lt=${until}`,
  },
  {
    name: "insert",
    what: "a new document, from one connection",
    connections: 1,
    method: "POST",
    values: created,
    path: () => "posts",
  },
  {
    name: "patch",
    what: "a number of one document changed",
    method: "PATCH",
    values: (random, { ids }) => ({
      id: random.pick(ids),
      body: JSON.stringify({ rating: random.below(10_000) / 100 }),
    }),
    path: ({ id }) => `posts/${id}`,
  },
  {
    name: "insert32",
    what: "new documents, from 32 connections",
    method: "POST",
    values: created,
    path: () => "posts",
  },
];

/** One request to Corbel. */
export const toCorbel = (question: Question, values: Values): Sent => ({
  path: `/api/data/${question.path(values)}`,
  ...carried(question, values),
});

/** The same to a bare program: its own path for each question, and the values by their names. */
export function toBare(question: Question, values: Values): Sent {
  const { token: _token, body: _body, ...rest } = values;
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, `${value}`]),
  );
  return { path: `/${question.name}?${query}`, ...carried(question, values) };
}

/** Who asks, and what they send. */
export const carried = ({ isPrivate }: Question, { token, body }: Values): Partial<Sent> => ({
  ...(isPrivate && { bearer: String(token) }),
  ...(body !== undefined && { body: String(body) }),
});
