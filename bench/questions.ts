/**
 * The measured kinds of requests, as they are sent to Corbel. Other programs map a question's name
 * to their own request. Every request has different values, so that no side answers from a cache.
 */
import {
  CITY_COUNT,
  post,
  type Random,
  STATUSES,
  TAG_COUNT,
  VIEWS_MAX,
  WORDS,
} from "./documents.ts";
import type { RequestParts } from "./load.ts";
import type { SeededProject, SignedInUser } from "./seed.ts";

/** The position after a page, as Corbel's cursor and as values for other programs. */
export interface PagePosition {
  readonly cursor: string;
  readonly createdAt: string;
  readonly id: string;
}

export interface KnownValues extends Pick<SeededProject, "ids" | "users" | "scale"> {
  readonly positions: readonly PagePosition[];
}

export interface Values {
  readonly [name: string]: string | number;
}

export interface Question {
  readonly name: string;
  readonly description: string;
  /** Number of connections; 32 if left out. */
  readonly connections?: number;
  readonly method?: "POST" | "PATCH";
  /** Whether the request uses the publishable key and a user's token. */
  readonly isPrivate?: boolean;
  values(random: Random, known: KnownValues): Values;
  /** Returns the path after `/api/data/`. */
  path(values: Values): string;
}

export const isRead = ({ method }: Question): boolean => method === undefined;

/** Returns the target ratio of Corbel's processor time per request over a bare program's. */
export const atMostOf = (question: Question): number => isRead(question) ? 3 : 2.8;

const RANGE = VIEWS_MAX / 20;

/** Returns a bound that is almost unique, so that no side has cached the question. */
const randomBound = (random: Random, below: number): number => random.below(below * 1_000) / 1_000;

const ownedPage = (random: Random, { users }: KnownValues) => {
  const { userId, token } = random.pick(users) satisfies SignedInUser;
  return { userId, token, page: 1 + random.below(8) };
};

const newPost = (random: Random, { users }: KnownValues) => ({
  body: JSON.stringify(post(random, users.map(({ userId }) => userId))),
});

export const QUESTIONS: readonly Question[] = [
  {
    name: "by_id",
    description: "a document by its id",
    values: (random, { ids }) => ({ id: random.pick(ids) }),
    path: ({ id }) => `posts/${id}`,
  },
  {
    name: "newest",
    description: "the newest 20 and the total",
    values: () => ({}),
    path: () => "posts?limit=20",
  },
  {
    name: "page_deep",
    description: "20 of the newest behind a cursor, anywhere, and the total",
    values: (random, { positions }) => ({ ...random.pick(positions) }),
    path: ({ cursor }) => `posts?limit=20&cursor=${cursor}`,
  },
  {
    name: "page_offset",
    description: "100 of the newest, any of 90 pages, and the total",
    values: (random) => ({ page: 1 + random.below(90) }),
    path: ({ page }) => `posts?limit=100&page=${page}`,
  },
  {
    name: "owner_pages",
    description: "an owner's newest, 20 of page 1 to 8, and their total",
    values: ownedPage,
    path: ({ userId, page }) => `posts?limit=20&userId=${userId}&page=${page}`,
  },
  {
    name: "owner_private",
    description: "the same for the owner, by their token under RLS",
    isPrivate: true,
    values: ownedPage,
    path: ({ page }) => `posts?limit=20&page=${page}`,
  },
  {
    name: "filter_range_sort",
    description: "20 of a status and a range of views, by views, and their total",
    values: (random, { scale }) => {
      const from = randomBound(random, VIEWS_MAX * scale - RANGE);
      return { status: random.pick(STATUSES), from, until: from + RANGE };
    },
    path: ({ status, from, until }) =>
      `posts?limit=20&status=${status}&views_gte=${from}&views_lt=${until}&sort=-views`,
  },
  {
    name: "range_sort",
    description: "20 of a range of views, by views",
    values: (random, { scale }) => ({ from: randomBound(random, VIEWS_MAX * scale) }),
    path: ({ from }) => `posts?limit=20&views_gte=${from}&sort=views&total=none`,
  },
  {
    name: "in_list",
    description: "the newest 20 with one of five numbers of views, and their total",
    values: (random, { scale }) => ({
      views: Array.from({ length: 5 }, () => random.below(VIEWS_MAX * scale)).join(),
    }),
    path: ({ views }) => `posts?limit=20&views_in=${views}`,
  },
  {
    name: "array_has",
    description: "the newest 20 with a tag, and their total",
    values: (random, { scale }) => ({ tag: `tag${random.below(TAG_COUNT * scale)}` }),
    path: ({ tag }) => `posts?limit=20&tags=${tag}`,
  },
  {
    name: "nested",
    description: "the newest 20 of a city, a declared member of an Object, and their total",
    values: (random, { scale }) => ({ city: `city${random.below(CITY_COUNT * scale)}` }),
    path: ({ city }) => `posts?limit=20&place.city=${city}`,
  },
  {
    name: "search",
    description: "the newest 20 with two words in their title, and their total",
    values: (random) => ({ words: `${random.pick(WORDS)} ${random.pick(WORDS)}` }),
    path: ({ words }) => `posts?limit=20&search=${encodeURIComponent(words!)}`,
  },
  {
    name: "contains",
    description: "the newest 20 with a text in their title, without an index, and their total",
    values: (random) => ({ text: `R ${100 + random.below(900)}` }),
    path: ({ text }) => `small?limit=20&title_contains=${encodeURIComponent(text!)}`,
  },
  {
    name: "unindexed",
    description: "the newest 20 in a range of a field without an index, and their total",
    values: (random) => {
      const from = randomBound(random, 95);
      return { from, until: from + 5 };
    },
    path: ({ from, until }) => `small?limit=20&rating_gte=${from}&rating_lt=${until}`,
  },
  {
    name: "insert",
    description: "a new document, from one connection",
    connections: 1,
    method: "POST",
    values: newPost,
    path: () => "posts",
  },
  {
    name: "patch",
    description: "a number of one document changed",
    method: "PATCH",
    values: (random, { ids }) => ({
      id: random.pick(ids),
      body: JSON.stringify({ rating: random.below(10_000) / 100 }),
    }),
    path: ({ id }) => `posts/${id}`,
  },
  {
    name: "insert32",
    description: "new documents, from 32 connections",
    method: "POST",
    values: newPost,
    path: () => "posts",
  },
];

export const toCorbel = (question: Question, values: Values): RequestParts => ({
  path: `/api/data/${question.path(values)}`,
  ...credentialsAndBody(question, values),
});

/** Returns a request to a bare program: a path for each question, with the values as its query. */
export function toBare(question: Question, values: Values): RequestParts {
  const { token: _token, body: _body, ...rest } = values;
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, `${value}`]),
  );
  return { path: `/${question.name}?${query}`, ...credentialsAndBody(question, values) };
}

export const credentialsAndBody = (
  { isPrivate }: Question,
  { token, body }: Values,
): Partial<RequestParts> => ({
  ...(isPrivate && { bearer: String(token) }),
  ...(body !== undefined && { body: String(body) }),
});
