/** Mistakes that must not compile. The compiler fails if an expected error does not occur. */

import createClient from "openapi-fetch";
import type { components, operations, paths } from "./corbel.d.ts";

type Schemas = components["schemas"];
type Query = NonNullable<operations["postsList"]["parameters"]["query"]>;

const client = createClient<paths>();

// @ts-expect-error: There is no collection of that name.
await client.GET("/api/data/poets", { params: { query: { limit: 4 } } });

// @ts-expect-error: A number is not a text.
await client.GET("/api/data/posts", { params: { query: { views_gt: "3" } } });

// @ts-expect-error: There is no filter of that name.
export const query = { sort: "views", views_above: 3 } satisfies Query;

await client.POST("/api/data/posts", {
  body: { title: "Six" },
  // @ts-expect-error: Another field is the unique one.
  params: { query: { upsert: "title" } },
});

// @ts-expect-error: A title is required.
await client.POST("/api/data/posts", { body: { slug: "six" } });

// @ts-expect-error: Views are a number.
await client.POST("/api/data/posts", { body: { title: "Six", views: "6" } });

// @ts-expect-error: No such field is declared.
export const six = { title: "Six", veiws: 6 } satisfies Schemas["PostsCreate"];

// @ts-expect-error: No such operator fits a number.
export const patch = { views: { $push: 1 } } satisfies Schemas["PostsPatch"];

// @ts-expect-error: There is no operator of that name.
export const where: Schemas["PostsWhere"] = { or: [{ views: { above: 4 } }, { title: "One" }] };

// @ts-expect-error: No such field is declared.
export const other: Schemas["PostsWhere"] = { or: [{ veiws: { gt: 4 } }, { title: "One" }] };

// @ts-expect-error: A number is compared with a number.
export const third: Schemas["PostsWhere"] = { or: [{ views: { gt: "4" } }, { title: "One" }] };

const { data, error } = await client.GET("/api/data/posts/{id}", {
  params: { path: { id: "66f1a0c2e4b0a1b2c3d4e5f6" } },
});

// @ts-expect-error: No such field is declared.
export const read = data?.data.headline;

// @ts-expect-error: An author is a user only if the request populates it.
export const author = data?.data.authorId?._id;

// @ts-expect-error: A single read has no cursor to refuse.
export const isCursor = error?.code === "INVALID_CURSOR";

// @ts-expect-error: The comments of a post are present only if the request asks for them.
export const comments = data?.data.comments.length;
