/** PocketBase with the documents and indexes of Corbel, and its requests for the questions. */
import type { Pocketbase } from "@/tests/services/pocketbase_server.ts";
import { type StoredPost, TAG_COUNT } from "./documents.ts";
import type { RequestParts } from "./load.ts";
import { credentialsAndBody, type Question, type Values } from "./questions.ts";
import type { SignedInUser } from "./seed.ts";

const BATCH_MAX = 1_000;

/** Shortens an id to the 15 characters of PocketBase's ids. */
export const shortId = (id: string): string => id.slice(-15);

const FIELDS = [
  ...["userId", "title", "status", "text"].map((name) => ({ name, type: "text" })),
  ...["views", "rating"].map((name) => ({ name, type: "number" })),
  {
    name: "tags",
    type: "select",
    maxSelect: TAG_COUNT,
    values: Array.from({ length: TAG_COUNT }, (_, i) => `tag${i}`),
  },
  { name: "place", type: "json" },
  { name: "createdAt", type: "date" },
];

const indexesOf = (name: string): string[] =>
  ["createdAt", "userId, createdAt", "status, views", "views"].map((columns, i) =>
    `create index idx_${name}_${i} on ${name} (${columns})`
  );

/** Creates collections and users and allows large batches. Resolves to the users with tokens. */
export async function preparePocketbase(
  { call }: Pocketbase,
  users: readonly SignedInUser[],
): Promise<SignedInUser[]> {
  const batch = { enabled: true, maxRequests: BATCH_MAX, timeout: 60, maxBodySize: 0 };
  await call("settings", { batch }, "PATCH");
  const everybody = { listRule: "", viewRule: "", createRule: "", updateRule: "" };
  const owner = { listRule: "userId = @request.auth.id", viewRule: "userId = @request.auth.id" };
  for (const name of ["posts", "mine", "small"]) {
    const rules = name === "mine" ? owner : everybody;
    const collection = { name, type: "base", fields: FIELDS, indexes: indexesOf(name), ...rules };
    await call("collections", collection);
  }
  const password = "one dry stone 77";
  const signedIn: SignedInUser[] = [];
  for (const { userId } of users) {
    const id = shortId(userId);
    const user = { id, email: `${id}@example.com`, password, passwordConfirm: password };
    await call("collections/users/records", user);
    const { token } = await call(`collections/users/impersonate/${id}`, { duration: 86_400 });
    signedIn.push({ userId: id, token });
  }
  return signedIn;
}

export async function addDocuments(
  { call }: Pocketbase,
  name: string,
  documents: readonly StoredPost[],
): Promise<void> {
  for (let at = 0; at < documents.length; at += BATCH_MAX) {
    const requests = documents.slice(at, at + BATCH_MAX).map(({ _id, ...document }) => ({
      method: "POST",
      url: `/api/collections/${name}/records`,
      body: { ...document, id: shortId(_id), userId: shortId(document.userId) },
    }));
    await call("batch", { requests });
  }
}

const list = (collection: string, query: Readonly<Record<string, string | number>>): string => {
  const entries = Object.entries({ perPage: 20, ...query }).map(([k, v]) => [k, `${v}`]);
  return `/api/collections/${collection}/records?${new URLSearchParams(entries)}`;
};
const NEWEST = { sort: "-createdAt" };

/** Paths of the questions. Without `skipTotal`, PocketBase answers totals as Corbel does. */
const PATHS: Readonly<Record<string, (values: Values) => string>> = {
  by_id: ({ id }) => `/api/collections/posts/records/${id}`,
  newest: () => list("posts", NEWEST),
  page_deep: ({ createdAt }) =>
    list("posts", { ...NEWEST, filter: `createdAt < '${createdAt}'`, skipTotal: 1 }),
  page_offset: ({ page }) => list("posts", { ...NEWEST, perPage: 100, page: page! }),
  owner_pages: ({ userId, page }) =>
    list("posts", { ...NEWEST, filter: `userId = '${userId}'`, page: page! }),
  owner_private: ({ page }) => list("mine", { ...NEWEST, page: page! }),
  filter_range_sort: ({ status, from, until }) =>
    list("posts", {
      sort: "-views",
      filter: `status = '${status}' && views >= ${from} && views < ${until}`,
    }),
  range_sort: ({ from }) =>
    list("posts", { sort: "views", filter: `views >= ${from}`, skipTotal: 1 }),
  in_list: ({ views }) => {
    const filter = String(views).split(",").map((one) => `views = ${one}`).join(" || ");
    return list("posts", { ...NEWEST, filter });
  },
  array_has: ({ tag }) => list("posts", { ...NEWEST, filter: `tags:each ?= '${tag}'` }),
  nested: ({ city }) => list("posts", { ...NEWEST, filter: `place.city = '${city}'` }),
  search: ({ words }) => {
    const filter = String(words).split(" ").map((one) => `title ~ '${one}'`).join(" && ");
    return list("posts", { ...NEWEST, filter });
  },
  contains: ({ text }) => list("small", { ...NEWEST, filter: `title ~ '${text}'` }),
  unindexed: ({ from, until }) =>
    list("small", { ...NEWEST, filter: `rating >= ${from} && rating < ${until}` }),
  insert: () => "/api/collections/posts/records",
  insert32: () => "/api/collections/posts/records",
  patch: ({ id }) => `/api/collections/posts/records/${id}`,
};

export const toPocketbase = (question: Question, values: Values): RequestParts => ({
  path: PATHS[question.name]!(values),
  ...credentialsAndBody(question, values),
});
