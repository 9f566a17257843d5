import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { changeProject } from "@/lib/projects/change_project.ts";
import { setProvider } from "@/lib/social/manage_providers.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { createApp } from "@/routes/app.ts";
import { openAccount } from "../support/dashboard.ts";
import { updateCollection } from "../support/given.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

const documentPath = ({ projectId }: Pick<TestProject, "projectId">) =>
  `/api/projects/${projectId}/openapi.json`;

interface OpenApiDocument {
  readonly info: { readonly title: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly parameters: Record<string, { readonly name: string; readonly schema: Schema }>;
    readonly responses: Record<string, { readonly content: Record<string, Content> }>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly responses: Record<string, { readonly $ref?: string }>;
}

interface Content {
  readonly examples: Record<string, unknown>;
}

// deno-lint-ignore no-explicit-any -- Tests look into schemas of every shape.
type Schema = any;

async function fetchDocument(
  project: TestProject,
  kind: "secret" | "publishable",
): Promise<OpenApiDocument> {
  const call = { path: documentPath(project) };
  const answer = await (kind === "secret" ? project.asSecret(call) : project.asPublic(call));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const findOperation = ({ paths }: OpenApiDocument, operationId: string): Operation | undefined =>
  Object.values(paths).flatMap((item) => Object.values(item))
    .find((operation) => operation.operationId === operationId);

const parameterNames = (document: OpenApiDocument, operationId: string): string[] =>
  findOperation(document, operationId)!.parameters!.map(({ name, $ref }) =>
    name ?? document.components.parameters[$ref!.split("/").at(-1)!]!.name
  );

/** Problem codes that an operation may respond with. */
function problemCodes(document: OpenApiDocument, operationId: string): string[] {
  const refusals = Object.entries(findOperation(document, operationId)!.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([, { $ref }]) => $ref!.split("/").at(-1)!);
  return refusals.flatMap((name) =>
    Object.keys(document.components.responses[name]!.content["application/json"]!.examples)
  );
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

async function openBlog(app: TestApp): Promise<TestProject> {
  const project = await app.project();
  await project.collection({
    name: "posts",
    rls: { mode: "public-read" },
    fields: [
      { key: "title", type: "String", required: true, search: true },
      { key: "views", type: "Number", required: true, default: 0 },
      { key: "slug", type: "String", unique: true },
      { key: "author", type: "Ref", ref: "users" },
      { key: "cover", type: "String", file: true },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "place", type: "Object", fields: [{ key: "city", type: "String", required: true }] },
    ],
  });
  await project.collection({
    name: "blog-comments",
    strict: true,
    fields: [{ key: "post", type: "Ref", ref: "posts", required: true }],
  });
  await project.collection({ name: "pages", rls: { enabled: false }, events: false });
  return project;
}

Deno.test("getProjectOpenApi describes the documents, inputs and filters of every collection", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const document = await fetchDocument(project, "publishable");
  assert.equal(document.info.title, "Test");
  const { schemas } = document.components;
  const { properties, required } = schemas.PostsDocument;
  assert.deepEqual(properties.title, { type: "string" });
  assert.deepEqual(properties.slug, { type: ["string", "null"] });
  assert.deepEqual(properties.place, {
    type: ["object", "null"],
    properties: { city: { type: "string" } },
    required: ["city"],
  });
  assert.deepEqual(
    required.toSorted(),
    ["_id", "createdAt", "deletedAt", "isDeleted", "title", "updatedAt", "views"],
  );
  assert.equal(
    "additionalProperties" in schemas.PostsDocument,
    false,
    "undeclared fields are allowed",
  );
  // A field with a default is optional, and so is the owner field, which defaults to the caller.
  assert.deepEqual(schemas.PostsCreate.required, ["title"]);
  assert.deepEqual(schemas.BlogCommentsCreate.required, ["post"]);
  assert.equal(schemas.BlogCommentsCreate.additionalProperties, false, "strict");
  assert.ok("userId" in schemas.BlogCommentsCreate.properties);
  // A required field cannot be null.
  assert.deepEqual(schemas.PostsPatch.properties.views, ref("NumberChange"));
  assert.deepEqual(schemas.NumberChange.anyOf, [
    { type: "number", format: "double" },
    ref("NumberOperator"),
  ]);
  assert.deepEqual(schemas.PostsPatch.properties.slug, ref("OptionalStringChange"));
  assert.deepEqual(schemas.OptionalStringChange.anyOf, [
    { type: ["string", "null"] },
    ref("UnsetOperator"),
  ]);
  assert.ok("place.city" in schemas.PostsPatch.properties);
  const returned = schemas.PostsShownDocument.properties;
  assert.deepEqual(returned.author.anyOf[1], { $ref: "#/components/schemas/PublicUser" });
  assert.deepEqual(returned.cover.anyOf[1], { $ref: "#/components/schemas/PopulatedFile" });
  assert.deepEqual(returned["blog-comments"].items, {
    $ref: "#/components/schemas/BlogCommentsShownDocument",
  });
  const where = schemas.PostsWhere.properties;
  assert.deepEqual(where["place.city"], ref("StringFilter"));
  assert.deepEqual(schemas.StringFilter.anyOf, [
    { type: ["string", "null"] },
    ref("StringCondition"),
  ]);
  assert.deepEqual(where.not, { $ref: "#/components/schemas/PostsWhere" });
});

Deno.test("getProjectOpenApi lists filter parameters for the declared fields and their operators", async () => {
  await using app = await openTestApp();
  const document = await fetchDocument(await openBlog(app), "publishable");
  const names = parameterNames(document, "postsList");
  for (const name of ["views", "views_gt", "title_startswith", "tags_in", "place.city", "search"]) {
    assert.ok(names.includes(name), name);
  }
  for (const name of ["views_regex", "place", "tags_gtx", "explain"]) {
    assert.ok(!names.includes(name), name);
  }
  assert.equal(new Set(names).size, names.length);
  assert.ok(!parameterNames(document, "pagesList").includes("search"));
  assert.ok(parameterNames(document, "postsListen").includes("views_gt"));
});

Deno.test("getProjectOpenApi keeps fields apart that are named like operators or parameters", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const fields = ["checked", "checked_in", "limit", "offset", "filter"];
  await project.collection({
    name: "rooms",
    fields: fields.map((key) => ({ key, type: "String" })),
  });
  const document = await fetchDocument(project, "secret");
  const names = parameterNames(document, "roomsList");
  assert.equal(new Set(names).size, names.length);
  for (const name of ["checked_in", "checked_in_in", "limit_gt", "offset", "filter", "skip"]) {
    assert.ok(names.includes(name), name);
  }
});

Deno.test("getProjectOpenApi types filters by field and shares equal ones between collections", async () => {
  await using app = await openTestApp();
  const document = await fetchDocument(await openBlog(app), "publishable");
  const { parameters, schemas } = document.components;
  assert.deepEqual(parameters["views_gt.NumberGt"], {
    name: "views_gt",
    in: "query",
    schema: ref("NumberGt"),
  });
  const { description, ...schema } = schemas.NumberGt;
  assert.deepEqual(schema, { type: "number", format: "double" });
  assert.equal(description, "Greater than this value.");
  assert.deepEqual(parameters["tags_in.StringIn"], {
    name: "tags_in",
    in: "query",
    schema: ref("StringIn"),
    style: "form",
    explode: false,
  });
  const refs = (operationId: string) =>
    findOperation(document, operationId)!.parameters!.map(({ $ref }) => $ref);
  for (const operationId of ["postsList", "postsAggregate", "blogCommentsList", "pagesList"]) {
    assert.ok(refs(operationId).includes("#/components/parameters/createdAt_gte.DateGte"));
  }
});

Deno.test("getProjectOpenApi with `collections` is limited to them and refuses unknown names", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const path = documentPath(project);
  const fetchFor = async (collections: string) =>
    await project.asPublic({ path: `${path}?collections=${collections}` });
  const { body, headers } = await fetchFor("posts");
  const paths = Object.keys((body as OpenApiDocument).paths).filter((one) =>
    one.startsWith("/api/data/")
  );
  assert.ok(
    paths.length > 3 && paths.every((one) => one.startsWith("/api/data/posts")),
    paths.join(),
  );
  assert.ok(findOperation(body, "logIn"), "operations without a collection are included");
  const { schemas } = (body as OpenApiDocument).components;
  assert.ok(!Object.keys(schemas).some((name) => name.startsWith("BlogComments")));
  assert.deepEqual(schemas.PostsShownDocument.properties["blog-comments"].items, {
    ...ref("Document"),
    description: "A document of `blog-comments`.",
  });
  const both = await fetchFor("posts,pages,posts");
  assert.equal(both.text, (await fetchFor("pages,posts")).text);
  assert.ok(findOperation(both.body, "pagesList"));
  assert.notEqual(headers.get("etag"), both.headers.get("etag"));
  const unknown = await fetchFor("posts,page");
  refused(unknown, 400, "INVALID_QUERY");
  assert.match(unknown.body.message, /no collection of the project: "?page.*pages/);
  for (const wrong of ["", "posts,", Array.from({ length: 51 }, (_, i) => `c${i}`).join()]) {
    const answer = await fetchFor(wrong);
    refused(answer, 400, "INVALID_QUERY");
    assert.match(answer.body.message, /up to 50 names/);
  }
  const twice = await project.asPublic({ path: `${path}?collections=posts&collections=pages` });
  refused(twice, 400, "INVALID_QUERY");
});

Deno.test("getProjectOpenApi returns identical documents to concurrent requests", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const answers = await Promise.all(Array.from({ length: 24 }, (_, i) =>
    app.open({
      path: documentPath(project),
      headers: {
        "x-api-key": project.publishableKey,
        ...(i % 2 === 0 && { "accept-encoding": "gzip" }),
      },
    })));
  const texts = await Promise.all(answers.map(async (answer) => {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isCompressed = answer.headers.get("content-encoding") === "gzip";
    return new TextDecoder().decode(isCompressed ? gunzipSync(bytes) : bytes);
  }));
  assert.equal(new Set(texts).size, 1);
  assert.equal(new Set(answers.map(({ headers }) => headers.get("etag"))).size, 2);
});

Deno.test("getProjectOpenApi lists the operations and refusals that apply to the calling key", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const client = await fetchDocument(project, "publishable");
  const server = await fetchDocument(project, "secret");
  assert.equal(findOperation(client, "pagesCreate"), undefined, "users cannot write without rules");
  assert.ok(findOperation(server, "pagesCreate"));
  assert.equal(findOperation(client, "pagesListen"), undefined, "without events");
  assert.ok(findOperation(client, "postsListen"));
  assert.equal(findOperation(client, "listUsers"), undefined);
  assert.ok(findOperation(server, "listUsers"));
  assert.ok(findOperation(client, "getMe"));
  assert.equal(findOperation(server, "getMe"), undefined);
  assert.deepEqual(findOperation(client, "blogCommentsList")!.security, [
    { apiKey: [], accessToken: [] },
  ]);
  assert.deepEqual(findOperation(server, "blogCommentsList")!.security, [{ apiKey: [] }]);
  const refusals = problemCodes(client, "postsCreate");
  for (const code of ["DUPLICATE_VALUE", "ACCESS_TOKEN_REQUIRED", "OWNER_MISMATCH"]) {
    assert.ok(refusals.includes(code), code);
    assert.ok(
      code === "DUPLICATE_VALUE" || !problemCodes(server, "postsCreate").includes(code),
      code,
    );
  }
  assert.ok(
    !problemCodes(client, "blogCommentsCreate").includes("DUPLICATE_VALUE"),
    "nothing is unique",
  );
  assert.ok(
    !problemCodes(client, "postsList").includes("ACCESS_TOKEN_REQUIRED"),
    "reads are public",
  );
  assert.ok(!parameterNames(client, "postsDelete").includes("permanent"));
  assert.ok(parameterNames(server, "postsDelete").includes("permanent"));
});

Deno.test("getProjectOpenApi lists only enabled sign-in methods and user uploads", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { services } = app;
  const readOperationIds = async () => {
    const { paths } = await fetchDocument(project, "publishable");
    return Object.values(paths).flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId);
  };
  const before = await readOperationIds();
  for (const id of ["signUp", "logIn", "requestCode"]) assert.ok(before.includes(id), id);
  for (const id of ["startSignIn", "exchangeCode", "signInAnonymously", "requestUpload"]) {
    assert.ok(!before.includes(id), id);
  }
  await changeProject(services, project.projectId, {
    auth: { password: false, emailCode: false, anonymous: true },
    files: { userUploads: "signed-in" },
  });
  const credentials = { enabled: true, clientId: "id", clientSecret: "secret" };
  await setProvider(services, project.projectId, "github", credentials);
  const after = await readOperationIds();
  for (const id of ["signUp", "logIn", "requestCode"]) assert.ok(!after.includes(id), id);
  for (const id of ["startSignIn", "exchangeCode", "signInAnonymously", "requestUpload"]) {
    assert.ok(after.includes(id), id);
  }
});

Deno.test("getProjectOpenApi includes the declared user fields", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await saveUserFields(app.services, project.projectId, [
    { key: "company", type: "String", required: true, public: true },
    { key: "newsletter", type: "Boolean" },
  ]);
  const { components: { schemas } } = await fetchDocument(project, "publishable");
  assert.deepEqual(schemas.User.properties.company, { type: ["string", "null"] });
  assert.ok(schemas.User.required.includes("newsletter"));
  assert.deepEqual(schemas.SignUp.required, ["email", "password", "company"]);
  assert.equal(schemas.SignUp.additionalProperties, false);
  assert.ok("company" in schemas.PublicUser.properties);
  assert.ok(!("newsletter" in schemas.PublicUser.properties));
});

Deno.test("getProjectOpenApi changes its ETag only when a definition changes", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const first = await project.asSecret({ path: documentPath(project) });
  const tag = first.headers.get("etag")!;
  const headers = { "if-none-match": tag };
  const second = await project.asSecret({ path: documentPath(project), headers });
  assert.equal(second.status, 304);
  assert.equal(second.headers.get("cache-control"), "private, no-cache");
  assert.match(second.headers.get("vary")!, /x-api-key.*Accept-Encoding/);
  await project.asSecret({ path: "/api/data/pages", body: { n: 1 } });
  assert.equal((await project.asSecret({ path: documentPath(project), headers })).status, 304);
  await updateCollection(app.services, project.projectId, {
    name: "pages",
    fields: [{ key: "n", type: "Number" }],
    rls: { enabled: false },
  });
  const third = await project.asSecret({ path: documentPath(project), headers });
  assert.equal(third.status, 200);
  assert.ok("n" in third.body.components.schemas.PagesDocument.properties);
});

Deno.test("getProjectOpenApi returns both audiences to members, and one to a publishable key", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const owner = await project.owner();
  const own = await owner.send({ path: documentPath(project) });
  assert.equal(own.text, (await project.asSecret({ path: documentPath(project) })).text);
  const ofClient = await owner.send({ path: `${documentPath(project)}?audience=client` });
  assert.equal(ofClient.text, (await project.asPublic({ path: documentPath(project) })).text);
  const path = `${documentPath(project)}?audience=server`;
  refused(await project.asPublic({ path }), 403, "SECRET_KEY_REQUIRED");
  refused(
    await project.asPublic({ path: `${documentPath(project)}?audience=all` }),
    400,
    "INVALID_QUERY",
  );
});

Deno.test("getProjectOpenApi refuses strangers, foreign keys and ended sessions", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const other = await app.project();
  const path = documentPath(project);
  refused(await other.asSecret({ path }), 404, "PROJECT_NOT_FOUND");
  refused(await (await openAccount(app)).send({ path }), 404, "PROJECT_NOT_FOUND");
  refused(
    await project.asSecret({ path: documentPath({ projectId: "x" }) }),
    400,
    "INVALID_PROJECT_ID",
  );
  const cookie = "corbel_session=unknown";
  refused(await app.send({ path, headers: { cookie } }), 401, "SIGN_IN_REQUIRED");
  refused(await app.send({ path }), 401, "API_KEY_INVALID");
});

Deno.test("getProjectOpenApi compresses the document if the client accepts gzip", async () => {
  await using app = await openTestApp();
  const project = await openBlog(app);
  const served = createApp(app.services);
  const request = new Request(`http://localhost:8000${documentPath(project)}`, {
    headers: { "accept-encoding": "gzip", "x-api-key": project.secretKey },
  });
  const answer = await served.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  const text = new TextDecoder().decode(gunzipSync(new Uint8Array(await answer.arrayBuffer())));
  assert.equal(text, (await project.asSecret({ path: documentPath(project) })).text);
});
