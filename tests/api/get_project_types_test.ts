import assert from "node:assert/strict";
import { createProject } from "@/lib/projects/create_project.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { openAccount } from "../support/dashboard.ts";
import { compiled } from "./compiled.ts";
import { refused } from "./test_collection.ts";

const pathOf = ({ projectId }: Pick<TestProject, "projectId">) =>
  `/api/projects/${projectId}/types.ts`;

const compile = (types: string, program: string) => compiled(program, { "types.ts": types });

async function blog(project: TestProject): Promise<string> {
  await project.collection({
    name: "blog-posts",
    fields: [
      { key: "title", type: "String", required: true },
      { key: "views", type: "Number", default: 0 },
      { key: "author", type: "Ref", ref: "users" },
      { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
    ],
  });
  const answer = await project.asPublic({ path: pathOf(project) });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get("content-type")!, /^application\/typescript/);
  return answer.text;
}

const PROGRAM = `
import type { Project } from "./types.ts";
type Posts = Project["collections"]["blog-posts"];
export const made: Posts["create"] = { title: "Hello" };
export const changed: Posts["patch"] = { views: { $inc: 1 }, "place.city": "Rome" };
export const found: Posts["where"] = { or: [{ views: { gt: 5 } }, { not: { title: "x" } }] };
export const title = (post: Posts["document"]): string => post.title;
export const populated: Posts["populated"] = { author: "users" };
export const name = (user: Project["user"]): string | null => user.name;
`;

Deno.test("the file compiles, and by it what is right", async () => {
  await using app = await openTestApp();
  const types = await blog(await app.project());
  assert.equal(await compile(types, PROGRAM), "");
});

Deno.test("what no document has does not compile", async () => {
  await using app = await openTestApp();
  const types = await blog(await app.project());
  const wrong = PROGRAM.replace('{ title: "Hello" }', '{ titel: "Hello" }')
    .replace("{ $inc: 1 }", '{ $push: "x" }')
    .replace("{ gt: 5 }", '{ gt: "5" }')
    .replace("post.title", "post.titel");
  const said = await compile(types, wrong);
  assert.match(said, /Found 4 errors/, said);
});

Deno.test("`collections` limits it to some, which compile without the others", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await blog(project);
  await project.collection({
    name: "comments",
    fields: [{ key: "post", type: "Ref", ref: "blog-posts" }],
  });
  const path = `${pathOf(project)}?collections=`;
  const { text } = await project.asPublic({ path: `${path}comments` });
  assert.ok(text.includes("CommentsDocument") && !text.includes("BlogPosts"));
  const program = `
import type { Project } from "./types.ts";
type Comments = Project["collections"]["comments"];
export const made: Comments["create"] = { post: "66f1a0c2e4b0a1b2c3d4e5f6" };
`;
  assert.equal(await compile(text, program), "");
  assert.notEqual(await compile(text, program.replace('["comments"]', '["blog-posts"]')), "");
  refused(await project.asPublic({ path: `${path}nothing` }), 400, "INVALID_QUERY");
});

Deno.test("a project's name cannot end the comment that tells it", async () => {
  await using app = await openTestApp();
  const made = await createProject(app.services, {
    name: "*/ alert(1)\u2028alert(2)",
    siteUrl: null,
  });
  const headers = { "x-api-key": made.secretKey };
  const { text } = await app.send({ path: pathOf(made), headers });
  assert.equal(
    await compile(text, 'import type { Project } from "./types.ts";\nexport type P = Project;\n'),
    "",
  );
});

Deno.test("it has a tag, and is as closed as the document", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const path = pathOf(project);
  const { headers } = await project.asSecret({ path });
  const tag = headers.get("etag")!;
  assert.equal((await project.asSecret({ path, headers: { "if-none-match": tag } })).status, 304);
  refused(await project.asPublic({ path: `${path}?audience=server` }), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic({ path: `${path}?audience=x` }), 400, "INVALID_QUERY");
  refused(await (await app.project()).asSecret({ path }), 404, "PROJECT_NOT_FOUND");
  refused(await (await openAccount(app)).send({ path }), 404, "PROJECT_NOT_FOUND");
  refused(await project.asSecret({ path: pathOf({ projectId: "x" }) }), 400, "INVALID_PROJECT_ID");
  const cookie = "corbel_session=unknown";
  refused(await app.send({ path, headers: { cookie } }), 401, "SIGN_IN_REQUIRED");
});
