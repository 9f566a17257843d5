import assert from "node:assert/strict";
import { createProject } from "@/lib/projects/create_project.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { openAccount } from "../support/dashboard.ts";
import { compileErrors } from "./compiled.ts";
import { refused } from "./test_collection.ts";

const typesPath = ({ projectId }: Pick<TestProject, "projectId">) =>
  `/api/projects/${projectId}/types.ts`;

const compile = (types: string, program: string) => compileErrors(program, { "types.ts": types });

async function openBlog(project: TestProject): Promise<string> {
  await project.collection({
    name: "blog-posts",
    fields: [
      { key: "title", type: "String", required: true },
      { key: "views", type: "Number", default: 0 },
      { key: "author", type: "Ref", ref: "users" },
      { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
    ],
  });
  const answer = await project.asPublic({ path: typesPath(project) });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get("content-type")!, /^application\/typescript/);
  return answer.text;
}

const PROGRAM = `
import type { Project } from "./types.ts";
type Posts = Project["collections"]["blog-posts"];
export const created: Posts["create"] = { title: "Hello" };
export const changed: Posts["patch"] = { views: { $inc: 1 }, "place.city": "Rome" };
export const filter: Posts["where"] = { or: [{ views: { gt: 5 } }, { not: { title: "x" } }] };
export const title = (post: Posts["document"]): string => post.title;
export const populated: Posts["populated"] = { author: "users" };
export const name = (user: Project["user"]): string | null => user.name;
`;

Deno.test("getProjectTypes returns types by which correct code compiles", async () => {
  await using app = await openTestApp();
  const types = await openBlog(await app.project());
  assert.equal(await compile(types, PROGRAM), "");
});

Deno.test("getProjectTypes returns types that reject unknown fields and operators", async () => {
  await using app = await openTestApp();
  const types = await openBlog(await app.project());
  const wrong = PROGRAM.replace('{ title: "Hello" }', '{ titel: "Hello" }')
    .replace("{ $inc: 1 }", '{ $push: "x" }')
    .replace("{ gt: 5 }", '{ gt: "5" }')
    .replace("post.title", "post.titel");
  const errors = await compile(types, wrong);
  assert.match(errors, /Found 4 errors/, errors);
});

Deno.test("getProjectTypes with `collections` returns those collections, which compile alone", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await openBlog(project);
  await project.collection({
    name: "comments",
    fields: [{ key: "post", type: "Ref", ref: "blog-posts" }],
  });
  const path = `${typesPath(project)}?collections=`;
  const { text } = await project.asPublic({ path: `${path}comments` });
  assert.ok(text.includes("CommentsDocument") && !text.includes("BlogPosts"));
  const program = `
import type { Project } from "./types.ts";
type Comments = Project["collections"]["comments"];
export const created: Comments["create"] = { post: "66f1a0c2e4b0a1b2c3d4e5f6" };
`;
  assert.equal(await compile(text, program), "");
  assert.notEqual(await compile(text, program.replace('["comments"]', '["blog-posts"]')), "");
  refused(await project.asPublic({ path: `${path}nothing` }), 400, "INVALID_QUERY");
});

Deno.test("getProjectTypes escapes the project's name in its comment", async () => {
  await using app = await openTestApp();
  const project = await createProject(app.services, {
    name: "*/ alert(1)\u2028alert(2)",
    siteUrl: null,
  });
  const headers = { "x-api-key": project.secretKey };
  const { text } = await app.send({ path: typesPath(project), headers });
  assert.equal(
    await compile(text, 'import type { Project } from "./types.ts";\nexport type P = Project;\n'),
    "",
  );
});

Deno.test("getProjectTypes returns an ETag and refuses the callers that getProjectOpenApi refuses", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const path = typesPath(project);
  const { headers } = await project.asSecret({ path });
  const tag = headers.get("etag")!;
  assert.equal((await project.asSecret({ path, headers: { "if-none-match": tag } })).status, 304);
  refused(await project.asPublic({ path: `${path}?audience=server` }), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic({ path: `${path}?audience=x` }), 400, "INVALID_QUERY");
  refused(await (await app.project()).asSecret({ path }), 404, "PROJECT_NOT_FOUND");
  refused(await (await openAccount(app)).send({ path }), 404, "PROJECT_NOT_FOUND");
  refused(
    await project.asSecret({ path: typesPath({ projectId: "x" }) }),
    400,
    "INVALID_PROJECT_ID",
  );
  const cookie = "corbel_session=unknown";
  refused(await app.send({ path, headers: { cookie } }), 401, "SIGN_IN_REQUIRED");
});
