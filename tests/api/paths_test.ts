import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  UNKNOWN_ID,
} from "./test_collection.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"];

/** Ways to write a path whose first segment after /api/data/ begins with users. */
const RESERVED = [
  "users",
  "Users",
  "USERS",
  "uSeRs",
  "users/",
  "users2",
  "users-archive",
  "users_x",
  "users.json",
  "users~",
  "usersandmore",
  "%75sers",
  "%55sers",
  "u%73ers",
  "%75%73%65%72%73",
  "%55%53%45%52%53",
  "user%73",
  "users%20",
  "users%2F",
  "users%2Fx",
  "users%2f..%2fposts",
  "users%00",
  "users%",
  "users%zz",
  "USERS%",
  "Users%zz",
  "users%5C",
  "users%C3%A9",
  "users;x=1",
  "users:batch",
  "users?limit=1",
  "users#x",
  `users/${UNKNOWN_ID}`,
  `Users/${UNKNOWN_ID}/recover`,
  `%75sers/${UNKNOWN_ID}`,
  "users/bulk",
  "users//x",
  "users/./x",
  "users/../posts",
  "users/%2e%2e/posts",
  "users/a/b/c/d",
];

Deno.test("every spelling of users is 403 for every key and method, and 401 without a key", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { project } = collection;
  const ann = await project.user();
  await collection.untouched(async () => {
    for (const spelling of RESERVED) {
      for (const method of METHODS) {
        const body = ["POST", "PUT", "PATCH"].includes(method) ? { body: { n: 1 } } : {};
        const call = { method, path: `/api/data/${spelling}`, ...body };
        const allowed = [
          await project.asSecret(call),
          await project.asPublic(call),
          await project.asPublic(call, ann),
        ];
        for (const answer of allowed) reserved(answer, method, 403, "USERS_RESERVED", spelling);
        const refusals = [
          await app.send(call),
          await app.send({ ...call, headers: { "x-api-key": `pk_live_${"x".repeat(43)}` } }),
          await app.send({ ...call, headers: { authorization: `Bearer ${ann.token}` } }),
        ];
        for (const answer of refusals) reserved(answer, method, 401, "API_KEY_INVALID", spelling);
      }
    }
  });
});

function reserved(
  answer: Answer,
  method: string,
  status: number,
  code: "USERS_RESERVED" | "API_KEY_INVALID",
  spelling: string,
): void {
  assert.equal(answer.status, status, `${method} ${spelling}: ${answer.text}`);
  if (method !== "HEAD") refused(answer, status, code);
}

Deno.test("an encoded prefix does not bypass the block on users", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const spellings = [
    "/api/%64ata/users",
    "/%61pi/data/users",
    "/api/%64ata/users2",
    "/%61pi/data/Users-archive",
    `/api/d%61ta/users/${UNKNOWN_ID}`,
    "/api/dat%61/%75sers/bulk",
  ];
  for (const path of spellings) {
    refused(await project.asSecret({ path }), 403, "USERS_RESERVED");
    refused(await app.send({ path }), 401, "API_KEY_INVALID");
  }
});

Deno.test("names that only resemble users are ordinary missing collections", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (
    const name of ["user", "user-s", "xusers", "myusers", "%C5%BFusers", "u%C5%BFers", "u%73e"]
  ) {
    const answer = await project.asSecret({ path: `/api/data/${name}` });
    refused(answer, 404, "COLLECTION_NOT_FOUND");
  }
});

/** Paths that could be taken for another path. */
const MALFORMED = [
  "//api/data/posts",
  "/api//data/posts",
  "/api/data//posts",
  "/api/data//users",
  "/api/data/posts//",
  "/./api/data/posts",
  "/api/./data/posts",
  "/api/data/./users",
  "/api/data/../data/posts",
  "/api/data/x/../users",
  "/api/data/..",
  "/..",
  "/../../etc/passwd",
  "/api/data/%2e/posts",
  "/api/data/%2e%2e/posts",
  "/api/data/%2E%2e%2fposts",
  "/api/data%2Fposts",
  "/api%2fdata%2fposts",
  "/api/data/po%2Fsts",
  "/api/data/po%5Csts",
  "/api/data/po%25sts",
  "/api/data/%2575sers",
  "/api/data/posts%00",
  "/api/data/%00",
  "/api/data/po%0Ast",
  "/api/data/po%7Fst",
  "/api/data/%",
  "/api/data/%z",
  "/api/data/%zz",
  "/api/data/%1",
  "/api/data/%c3",
  "/api/data/%c3%28",
  "/api/data/%ff%fe",
  "/api/data/%ED%A0%80",
  "/docs/%2e%2e/main.ts",
  "/docs/..%2Fmain.ts",
  "/docs/../main.ts",
];

Deno.test("a path that could be taken for another is 400 for every caller and does nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    for (const path of MALFORMED) {
      for (const method of ["GET", "POST", "DELETE", "HEAD"]) {
        const call = { method, path, ...(method === "POST" && { body: { n: 1 } }) };
        for (const answer of [await collection.project.asSecret(call), await app.send(call)]) {
          assert.equal(answer.status, 400, `${method} ${path}: ${answer.text}`);
          if (method !== "HEAD") refused(answer, 400, "INVALID_PATH");
        }
      }
    }
  });
});

Deno.test("an encoded path is equivalent to its decoded form", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  const encoded = [...id].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join("");
  assert.equal(
    ok(await collection.project.asSecret({ path: "/api/data/p%6Fsts?limit=1" })).total,
    1,
  );
  assert.equal(ok(await collection.asSecret({ path: `/${encoded}` }))._id, id);
  // The conforming client knows operations by their plain paths only.
  const serve = createApp(app.services);
  for (const path of ["/api/%64ata/posts", "/%61pi/data/%70osts", `/api/d%61ta/posts/${id}`]) {
    const request = new Request("http://localhost/", {
      headers: { "x-api-key": collection.project.secretKey },
    });
    Object.defineProperty(request, "url", { value: `http://localhost:8000${path}` });
    const response = await serve.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    assert.equal(response.status, 200, path);
    assert.ok((await response.text()).includes(id));
  }
});

Deno.test("an unknown path is 404 with or without a key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const paths = [
    "/api",
    "/api/",
    "/api/data",
    "/api/data/",
    `/api/data/posts/${UNKNOWN_ID}/other`,
    `/api/data/posts/${UNKNOWN_ID}/recover/more`,
    "/api/schemas",
    "/api/schemas/posts/fields",
    "/API/data/posts",
    "/api/Data/posts",
    "/apidata/posts",
    "/api/project",
    "/docs/other.js",
    "/docs/a/b",
    "/favicon.ico",
    "/openapi.yaml",
    "/main.ts",
    "/.env",
    "/*",
    "/:path",
    "/api/healthy",
    "/%F0%9F%98%80",
  ];
  for (const path of paths) {
    for (const answer of [await project.asSecret({ path }), await app.send({ path })]) {
      refused(answer, 404, "ROUTE_NOT_FOUND", "/docs");
    }
  }
});

/** Paths of operations, with the methods that they accept. */
const METHODS_BY_PATH: Record<string, readonly string[]> = {
  "/api/data/posts": ["GET", "POST"],
  [`/api/data/posts/${UNKNOWN_ID}`]: ["GET", "PUT", "PATCH", "DELETE"],
  [`/api/data/posts/${UNKNOWN_ID}/recover`]: ["PATCH"],
  "/api/schemas/posts": ["GET"],
  [`/api/projects/${UNKNOWN_ID}/jwks.json`]: ["GET"],
  "/api/health": ["GET"],
  "/api/health/ready": ["GET"],
  "/": ["GET"],
  "/openapi.json": ["GET"],
  "/docs": ["GET"],
  "/docs/scalar.js": ["GET"],
};

Deno.test("an unsupported method on an existing path is 405 and names the supported methods", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    for (const [path, takes] of Object.entries(METHODS_BY_PATH)) {
      const head = takes.includes("GET") ? ["HEAD"] : [];
      for (const method of METHODS) {
        if ([...takes, ...head].includes(method)) continue;
        const body = ["POST", "PUT", "PATCH"].includes(method) ? { body: {} } : {};
        const answer = await collection.project.asSecret({ method, path, ...body });
        assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`);
        const allowed = answer.headers.get("allow")!.split(", ");
        for (const taken of takes) assert.ok(allowed.includes(taken), `${path} takes ${taken}`);
        const others = allowed.filter((one) => ![...takes, "HEAD", "OPTIONS"].includes(one));
        assert.deepEqual(others, [], `${path} does not take these`);
        if (method === "HEAD") continue;
        const sent = ["PROPFIND", "QUERY"].includes(method) ? "that method" : method;
        const says = `This address does not take ${sent}: use ${allowed.join(" or ")}.`;
        refused(answer, 405, "METHOD_NOT_ALLOWED", says);
      }
    }
  });
});

Deno.test("the error about an unknown method does not repeat it", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ method: "BREW", path: "/api/health" });
  refused(answer, 405, "METHOD_NOT_ALLOWED", "This address does not take that method: use GET.");
});

Deno.test("a trailing slash makes no difference, for any method", async () => {
  await using app = await openTestApp();
  const { collection, paths } = await readable(app);
  for (
    const path of [...paths, "/docs/guides/documents", "/dashboard/sign-in", "/dashboard/none"]
  ) {
    if (path === "/") continue;
    const [bare, slashed] = [path, `${path}/`];
    const one = await collection.project.asSecret({ path: bare });
    const other = await collection.project.asSecret({ path: slashed });
    assert.deepEqual([other.status, other.text], [one.status, one.text], path);
  }
  const created = await collection.asSecret({ path: "/", body: { n: 1 } });
  assert.equal(created.status, 201, created.text);
  const { _id } = created.body.data;
  const patched = await collection.asSecret({
    method: "PATCH",
    path: `/${_id}/`,
    body: { n: 2 },
  });
  assert.equal(patched.body.data.n, 2);
  const listed = await collection.asSecret({ path: "/?n=2&count=true" });
  assert.equal(listed.body.data.count, 1);
  refused(
    await collection.asSecret({ method: "PUT", path: "/", body: {} }),
    405,
    "METHOD_NOT_ALLOWED",
    "use GET or POST",
  );
  refused(await collection.asSecret({ path: "//" }), 400, "INVALID_PATH");
  const users = await collection.project.asSecret({ path: "/api/data/users/" });
  refused(users, 403, "USERS_RESERVED");
});

Deno.test("bulk is not an id, and operations that take an id refuse it", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "GET"]) {
      const body = method === "PUT" || method === "PATCH" ? { body: {} } : {};
      const answer = await collection.asSecret({ method, path: "/bulk", ...body });
      refused(answer, 400, "INVALID_ID");
    }
  });
});

async function readable(app: TestApp): Promise<{ collection: TestCollection; paths: string[] }> {
  const collection = await createTestCollection(app);
  const { _id } = await collection.insertOne();
  const paths = Object.keys(METHODS_BY_PATH)
    .filter((path) => METHODS_BY_PATH[path]!.includes("GET"))
    .map((path) =>
      path.replace(UNKNOWN_ID, path.includes("projects") ? collection.project.projectId : _id)
    );
  return { collection, paths };
}

Deno.test("HEAD answers like GET, without a body", async () => {
  await using app = await openTestApp();
  const { collection, paths } = await readable(app);
  const missing = ["/nothing", "/api/data/nothing", "/api/data/posts?limit=0", "/api/data/posts/x"];
  for (const path of [...paths, ...missing]) {
    const [get, head] = [
      await collection.project.asSecret({ path }),
      await collection.project.asSecret({ path, method: "HEAD" }),
    ];
    assert.equal(head.status, get.status, path);
    assert.equal(head.text, "");
    for (const name of ["etag", "content-type", "cache-control", "vary"]) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
    }
  }
});

Deno.test("OPTIONS is answered on every path without a key, and does nothing", async () => {
  await using app = await openTestApp();
  const { collection, paths } = await readable(app);
  await collection.untouched(async () => {
    for (const path of [...paths, "/nothing", "/api/data/nothing", "/api/data/posts/bulk"]) {
      const answer = await app.send({
        method: "OPTIONS",
        path,
        headers: { origin: "https://app.example", "access-control-request-method": "POST" },
      });
      assert.equal(answer.status, 204, path);
      assert.equal(answer.text, "");
    }
  });
});
