import assert from "node:assert/strict";
import {
  type Answer,
  type Call,
  createCollection,
  createProject,
  createUser,
  issueToken,
  listAll,
  type Project,
  send,
  THINGS,
  type User,
} from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const NOTES = { name: "notes", fields: [{ key: "text", type: "String", required: true }] };

const POSTS = {
  name: "posts",
  fields: [
    { key: "title", type: "String", required: true },
    { key: "views", type: "Number", default: 0 },
  ],
  rls: { mode: "public-read" },
};

interface Fixture extends AsyncDisposable {
  readonly server: Server;
  readonly project: Project;
  readonly ann: User;
  readonly ben: User;
  asSecret(call: Call): Promise<Answer>;
  asPublic(call: Call, user?: Pick<User, "token">): Promise<Answer>;
}

async function openFixture(): Promise<Fixture> {
  const server = await startServer();
  try {
    const { settings } = server;
    const project = await createProject(settings);
    for (const definition of [NOTES, POSTS, THINGS]) {
      await createCollection(settings, project, definition);
    }
    const [ann, ben] = await Promise.all([
      createUser(settings, project),
      createUser(settings, project),
    ]);
    return {
      server,
      project,
      ann,
      ben,
      asSecret: (call) => send(server, { ...call, key: project.secretKey }),
      asPublic: (call, user) =>
        send(server, {
          ...call,
          key: project.publishableKey,
          ...(user !== undefined && { token: user.token }),
        }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

const refusal = ({ status, body }: Answer) => [status, body.code];

Deno.test("a request without a current key is refused, and a key accesses only its project", async () => {
  await using fixture = await openFixture();
  const { server, project } = fixture;
  const path = "/api/data/posts";
  // The message describes the format of a key and does not reveal which keys exist.
  const alike = [
    [undefined, ""],
    ["nonsense", `${project.secretKey}x`],
    [project.secretKey.replace("sk_", "pk_"), `pk_live_${"A".repeat(43)}`],
  ];
  for (const keys of alike) {
    const answers = [];
    for (const key of keys) {
      answers.push(await send(server, { path, ...(key !== undefined && { key }) }));
      answers.push(await send(server, { path, body: {}, ...(key !== undefined && { key }) }));
    }
    for (const answer of answers) {
      assert.deepEqual(refusal(answer), [401, "API_KEY_INVALID"]);
      assert.deepEqual(answer.body, { ...answers[0]!.body });
      assert.deepEqual(answer.body.data, {});
      assert.equal(answer.body.success, false);
    }
  }
  const foreign = await createProject(server.settings);
  for (const key of [foreign.secretKey, foreign.publishableKey]) {
    assert.deepEqual(refusal(await send(server, { path, key })), [404, "COLLECTION_NOT_FOUND"]);
  }
  const ownToken = {
    path: "/api/data/notes",
    key: foreign.publishableKey,
    token: fixture.ann.token,
  };
  assert.deepEqual(refusal(await send(server, ownToken)), [401, "ACCESS_TOKEN_INVALID"]);
});

Deno.test("paths that begin with users refuse every key", async () => {
  await using fixture = await openFixture();
  for (
    const name of [
      "users",
      "Users",
      "USERS/0123456789abcdef01234567",
      "usersOfMine",
      "%75sers",
      "%75sersOfMine",
      "u%53ers/0123456789abcdef01234567",
      "%75%73%65%72%73/bulk",
      "users%2Fbulk",
    ]
  ) {
    const path = `/api/data/${name}`;
    for (const answer of [await fixture.asSecret({ path }), await fixture.asPublic({ path })]) {
      assert.deepEqual(refusal(answer), [403, "USERS_RESERVED"], path);
    }
    assert.deepEqual(refusal(await fixture.asSecret({ path, body: {} })), [403, "USERS_RESERVED"]);
    assert.deepEqual(refusal(await send(fixture.server, { path })), [401, "API_KEY_INVALID"]);
  }
});

Deno.test("only the owner of a private note reads and writes it", async (t) => {
  await using fixture = await openFixture();
  const { asPublic, asSecret, ann, ben, project } = fixture;
  const path = "/api/data/notes";
  const { body } = await asPublic({ path, body: { text: "Ann's" } }, ann);
  const id: string = body.data._id;
  const one = `${path}/${id}`;
  assert.equal(body.data.userId, ann.id);

  await t.step("the owner and the secret key read it", async () => {
    for (const answer of [await asPublic({ path }, ann), await asSecret({ path })]) {
      assert.equal(answer.status, 200);
      assert.deepEqual([answer.body.data.total, answer.body.data.items[0]._id], [1, id]);
    }
    assert.equal((await asPublic({ path: one }, ann)).body.data.text, "Ann's");
  });

  await t.step("another user sees nothing with any request", async () => {
    for (
      const query of [
        "",
        `?userId=${ann.id}`,
        "?include_deleted=true",
        `?where=${encodeURIComponent(JSON.stringify({ or: [{ userId: ann.id }, { text: "x" }] }))}`,
        `?where=${encodeURIComponent(JSON.stringify({ not: { userId: ben.id } }))}`,
      ]
    ) {
      const answer = await asPublic({ path: path + query }, ben);
      assert.deepEqual([answer.status, answer.body.data.items], [200, []], query);
      assert.equal(answer.body.data.total, 0, query);
    }
    for (
      const call of [
        { path: one },
        { method: "PATCH", path: one, body: { text: "Ben's" } },
        { method: "PUT", path: one, body: { text: "Ben's" } },
        { method: "DELETE", path: one },
      ]
    ) assert.deepEqual(refusal(await asPublic(call, ben)), [404, "DOCUMENT_NOT_FOUND"]);
  });

  await t.step("the owner cannot be forged or changed", async () => {
    const forged = await asPublic({ path, body: { text: "x", userId: ann.id } }, ben);
    assert.deepEqual(refusal(forged), [403, "OWNER_MISMATCH"]);
    const away = { method: "PATCH", path: one, body: { userId: ben.id } };
    assert.deepEqual(refusal(await asPublic(away, ann)), [403, "OWNER_IMMUTABLE"]);
  });

  await t.step("a missing or invalid token gives no access", async () => {
    assert.deepEqual(refusal(await asPublic({ path })), [401, "ACCESS_TOKEN_REQUIRED"]);
    assert.deepEqual(refusal(await asPublic({ path: one })), [401, "ACCESS_TOKEN_REQUIRED"]);
    const [head, claims, signature] = ann.token.split(".") as [string, string, string];
    const other = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
    const none = btoa('{"alg":"none","typ":"at+jwt"}').replaceAll("=", "");
    for (
      const token of [
        `${head}.${claims}.${other}`,
        `${none}.${claims}.`,
        `${head}.${ben.token.split(".")[1]}.${signature}`,
        "nonsense",
      ]
    ) {
      assert.deepEqual(refusal(await asPublic({ path }, { token })), [401, "ACCESS_TOKEN_INVALID"]);
    }
    const secret = { path, key: project.secretKey, token: "nonsense" };
    assert.equal((await send(fixture.server, secret)).status, 200);
  });

  await t.step("the refused requests did not change the note", async () => {
    const { items } = await listAll(fixture.server, project, "notes");
    assert.deepEqual(items, [body.data]);
  });
});

Deno.test("public-read posts are readable by all and writable by their owners", async () => {
  await using fixture = await openFixture();
  const { asPublic, asSecret, ann, ben } = fixture;
  const path = "/api/data/posts";
  const created = await asPublic({ path, body: { title: "Ann's" } }, ann);
  assert.deepEqual([created.status, created.body.data.views], [201, 0]);
  const one = `${path}/${created.body.data._id}`;
  for (const answer of [await asPublic({ path: one }), await asPublic({ path: one }, ben)]) {
    assert.deepEqual(answer.body.data, created.body.data);
  }
  const write = { method: "PATCH", path: one, body: { title: "Changed" } };
  assert.deepEqual(refusal(await asPublic(write)), [401, "ACCESS_TOKEN_REQUIRED"]);
  assert.deepEqual(refusal(await asPublic({ path, body: { title: "x" } })), [
    401,
    "ACCESS_TOKEN_REQUIRED",
  ]);
  assert.deepEqual(refusal(await asPublic(write, ben)), [403, "OWNER_MISMATCH"]);
  assert.deepEqual(refusal(await asPublic({ method: "DELETE", path: one }, ben)), [
    403,
    "OWNER_MISMATCH",
  ]);
  assert.equal((await asPublic(write, ann)).body.data.title, "Changed");
  assert.equal((await asSecret({ ...write, body: { title: "Server's" } })).status, 200);
  assert.equal((await asPublic({ path: one })).body.data.title, "Server's");
});

Deno.test("without row-level security a publishable key reads and never writes", async () => {
  await using fixture = await openFixture();
  const { asPublic, asSecret, ann } = fixture;
  const path = "/api/data/things";
  const { body } = await asSecret({ path, body: { n: 1 } });
  const one = `${path}/${body.data._id}`;
  assert.equal((await asPublic({ path })).body.data.total, 1);
  for (const user of [undefined, ann]) {
    for (
      const call of [
        { path, body: { n: 2 } },
        { path: `${path}/bulk`, body: { documents: [{ n: 2 }] } },
        { method: "PUT", path: one, body: { n: 2 } },
        { method: "PATCH", path: one, body: { n: 2 } },
        { method: "PATCH", path: `${one}/recover` },
        { method: "DELETE", path: one },
      ]
    ) assert.deepEqual(refusal(await asPublic(call, user)), [403, "RLS_REQUIRED"], call.path);
  }
  assert.deepEqual((await asPublic({ path })).body.data.items, [body.data]);
});

Deno.test("an expired access token is refused", async () => {
  await using fixture = await openFixture();
  const { server, project, ann } = fixture;
  const token = await issueToken(server.settings, project, ann.id, 1);
  const call = { path: "/api/data/notes", key: project.publishableKey, token };
  assert.equal((await send(server, call)).status, 200);
  const isRefused = async () => (await send(server, call)).status === 401;
  await until("the token is refused", isRefused, 10_000);
});
