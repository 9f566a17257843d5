import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createProject, issueToken, send, THINGS } from "./project.ts";
import { admin, run, runAdmin, startServer } from "./server.ts";
import { until } from "./until.ts";

const ID = /^[0-9a-f]{24}$/;
const PK = /^pk_live_[A-Za-z0-9_-]{43}$/;
const SK = /^sk_live_[A-Za-z0-9_-]{43}$/;

/** Milliseconds within which a running server must notice a change. */
const STALE_MS = 5000;

type Named = { name: string };

const claims = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

Deno.test("every command works next to a running server and prints one line of JSON", async (t) => {
  // The test polls for changes more often than a page would.
  await using server = await startServer({ settings: { RATE_LIMITS: "off" } });
  const { settings } = server;
  const project = await admin(
    ["project", "create", "--name", "Shop", "--site-url", "https://shop.example"],
    settings,
  );
  const { projectId } = project;
  const wordsOf = (
    ...words: string[]
  ) => [...words.slice(0, 2), "--project", projectId, ...words.slice(2)];

  await t.step(
    "project create prints the id and both keys, and the keys work at once",
    async () => {
      assert.deepEqual(Object.keys(project).sort(), ["projectId", "publishableKey", "secretKey"]);
      assert.match(projectId, ID);
      assert.match(project.publishableKey, PK);
      assert.match(project.secretKey, SK);
      for (const key of [project.publishableKey, project.secretKey]) {
        const { status, body } = await send(server, { path: "/api/data/things", key });
        assert.deepEqual([status, body.code], [404, "COLLECTION_NOT_FOUND"]);
      }
    },
  );

  await t.step("project list names every project", async () => {
    const other = await createProject(settings);
    const { projects } = await admin(["project", "list"], settings);
    const byName = projects.toSorted((a: Named, b: Named) => a.name < b.name ? -1 : 1);
    assert.deepEqual(byName, [
      { projectId: other.projectId, name: "Acceptance" },
      { projectId, name: "Shop" },
    ]);
  });

  await t.step(
    "project set changes the given settings, and the server follows within 5 s",
    async () => {
      const set = (given: unknown) =>
        admin(wordsOf("project", "set", "--file", "-"), settings, JSON.stringify(given));
      const changed = await set({ auth: { signUp: "closed", emailCode: false } });
      assert.equal(changed.projectId, projectId);
      assert.equal(changed.siteUrl, "https://shop.example");
      assert.deepEqual(changed.auth, {
        signUp: "closed",
        password: true,
        emailCode: false,
        anonymous: false,
        requireVerifiedEmail: false,
        passwordLengthMin: 8,
      });
      const body = { email: "ada@example.com", password: "a difference engine no. 2" };
      const call = { path: "/api/userAuth/signup", key: project.publishableKey, body };
      const refused = async () => (await send(server, call)).body.code === "SIGN_UP_CLOSED";
      await until("sign-up is closed", refused, STALE_MS);
      assert.equal((await set({ auth: { signUp: "open" } })).auth.emailCode, false);
    },
  );

  await t.step("user fields declares fields that a user can fill in at sign-up", async () => {
    const given = { fields: [{ key: "company", type: "String", public: true }] };
    const words = wordsOf("user", "fields", "--file", "-");
    const { fields } = await admin(words, settings, JSON.stringify(given));
    assert.deepEqual(fields.map(({ key }: { key: string }) => key), ["company"]);
    const body = {
      email: "eve@example.com",
      password: "a difference engine no. 2",
      company: "Analytical Engines",
    };
    const call = { path: "/api/userAuth/signup", key: project.publishableKey, body };
    let answer: Awaited<ReturnType<typeof send>> | undefined;
    const done = async () => (answer = await send(server, call)).status === 201;
    await until("both settings are in effect", done, STALE_MS);
    assert.equal(answer!.body.data.user.company, "Analytical Engines");
  });

  await t.step(
    "collection create reads a file and fills in omitted parts of the definition",
    async () => {
      const file = `${server.store.folder}/notes.json`;
      await Deno.writeTextFile(
        file,
        JSON.stringify({ name: "notes", fields: [{ key: "text", type: "String" }] }),
      );
      const stored = await admin(wordsOf("collection", "create", "--file", file), settings);
      assert.equal(stored.name, "notes");
      assert.deepEqual(stored.rls, { enabled: true, mode: "private", ownerField: "userId" });
      assert.equal(stored.strict, true);
      assert.ok(stored.fields.some((field: { key: string }) => field.key === "text"));
      const { body } = await send(server, { path: "/api/schemas/notes", key: project.secretKey });
      assert.equal(body.data.collection.name, "notes");
    },
  );

  await t.step(
    "collection create reads standard input, and the server uses the collection at once",
    async () => {
      const missing = await send(server, { path: "/api/data/things", key: project.secretKey });
      assert.equal(missing.status, 404);
      const words = wordsOf("collection", "create", "--file", "-");
      const stored = await admin(words, settings, JSON.stringify(THINGS));
      assert.equal(stored.rls.enabled, false);
      const path = "/api/data/things";
      const created = await send(server, { path, key: project.secretKey, body: { n: 1 } });
      assert.equal(created.status, 201);
    },
  );

  await t.step(
    "collection update replaces the definition, and the server follows within 5 s",
    async () => {
      const path = "/api/data/things";
      const call = { path, key: project.secretKey, body: { n: 1, extra: true } };
      assert.equal((await send(server, call)).status, 400);
      const definition = { ...THINGS, strict: false };
      const words = wordsOf("collection", "update", "--file", "-");
      const stored = await admin(words, settings, JSON.stringify(definition));
      assert.equal(stored.strict, false);
      const taken = async () => (await send(server, call)).status === 201;
      await until("the changed definition is in effect", taken, STALE_MS);
    },
  );

  await t.step(
    "collection rename gives it another name and back, and the server follows within 5 s",
    async () => {
      const rename = (from: string, to: string) =>
        admin(wordsOf("collection", "rename", "--collection", from, "--name", to), settings);
      const statusOf = async (name: string) =>
        (await send(server, { path: `/api/data/${name}`, key: project.secretKey })).status;
      assert.equal((await rename("things", "goods")).name, "goods");
      await until(
        "the new name is accepted",
        async () => await statusOf("goods") === 200,
        STALE_MS,
      );
      await until(
        "the old name is refused",
        async () => await statusOf("things") === 404,
        STALE_MS,
      );
      assert.equal((await rename("goods", "things")).name, "things");
      await until(
        "the old name is accepted again",
        async () => await statusOf("things") === 200,
        STALE_MS,
      );
    },
  );

  await t.step("collection list prints every definition", async () => {
    const { collections } = await admin(wordsOf("collection", "list"), settings);
    const names = collections.map(({ name }: Named) => name);
    assert.deepEqual(names, ["notes", "things"]);
    assert.equal(collections[1].strict, false);
  });

  await t.step(
    "definition check examines the documents of one collection or of all",
    async () => {
      const all = await admin(wordsOf("definition", "check"), settings);
      assert.equal(all.ok, true);
      const names = all.collections.map(({ name }: Named) => name);
      assert.deepEqual(names, ["notes", "things"]);
      const { collections } = await admin(
        wordsOf("definition", "check", "--collection", "notes"),
        settings,
      );
      assert.deepEqual(collections, all.collections.slice(0, 1));
      assert.deepEqual([collections[0].mended, collections[0].violations], [0, []]);
    },
  );

  await t.step(
    "user create and token issue give a token that the server accepts at once",
    async () => {
      const words = wordsOf("user", "create", "--email", "Ann@example.com", "--verified");
      const { userId, ...rest } = await admin(words, settings);
      assert.match(userId, ID);
      assert.deepEqual(rest, {});
      const issued = await admin(
        wordsOf("token", "issue", "--user", userId, "--ttl", "120"),
        settings,
      );
      assert.deepEqual(Object.keys(issued), ["accessToken"]);
      const token = issued.accessToken;
      const { iss, aud, sub, sid, iat, exp } = claims(token);
      assert.equal(iss, `http://localhost:${server.port}/api/projects/${projectId}`);
      assert.deepEqual([aud, sub, exp - iat], [projectId, userId, 120]);
      assert.match(sid, ID);
      const key = project.publishableKey;
      const note = await send(server, { path: "/api/data/notes", key, token, body: { text: "x" } });
      assert.deepEqual([note.status, note.body.data?.userId], [201, userId]);
      const { exp: until, iat: from } = claims(await issueToken(settings, project, userId));
      assert.equal(until - from, 15 * 60, "without --ttl a token lives 15 minutes");
    },
  );

  await t.step(
    "provider set reads the secret from standard input and never prints it",
    async () => {
      const words = wordsOf("provider", "set", "--provider", "github", "--client-id", "Iv1.abc");
      const listed = {
        provider: "github",
        enabled: true,
        clientId: "Iv1.abc",
        hasClientSecret: true,
        linking: "verified",
        callbackUrl: `http://localhost:${server.port}/api/userAuth/social/github/callback`,
      };
      assert.deepEqual(await admin(words, settings, ""), { ...listed, hasClientSecret: false });
      const path = `/api/userAuth/social/github/start?x-api-key=${project.publishableKey}`;
      assert.equal((await send(server, { path })).body.code, "PROVIDER_NOT_CONFIGURED");
      for (
        const line of ["hunter2", "hunter2\n", "hunter2\r\nwhat follows is not read", "\n", ""]
      ) {
        assert.deepEqual(await admin(words, settings, line), listed);
      }
      const { status, headers } = await send(server, { path });
      assert.equal(status, 302, "the server accepts it at once");
      const authorize = new URL(headers.get("location")!);
      assert.equal(authorize.searchParams.get("client_id"), "Iv1.abc");
      assert.equal(authorize.searchParams.get("redirect_uri"), listed.callbackUrl);
      const off = { ...listed, enabled: false, linking: "never" };
      assert.deepEqual(
        await admin([...words, "--linking", "never", "--disabled"], settings, ""),
        off,
      );
      assert.equal((await send(server, { path })).body.code, "PROVIDER_NOT_CONFIGURED");
      assert.deepEqual(await admin(words, settings, ""), { ...listed, linking: "never" });
      const { stdout, stderr } = { stdout: server.stdout(), stderr: server.stderr() };
      assert.doesNotMatch(stdout + stderr, /hunter2/);
    },
  );

  await t.step("a rotated key works at once, and the old one is refused within 5 s", async () => {
    let publishable = project.publishableKey;
    for (
      const [kind, old, pattern] of [
        ["publishable", project.publishableKey, PK],
        ["secret", project.secretKey, SK],
      ]
    ) {
      const path = "/api/data/things";
      assert.equal((await send(server, { path, key: old })).status, 200);
      const { key, ...rest } = await admin(wordsOf("key", "rotate", "--kind", kind), settings);
      assert.match(key, pattern);
      assert.deepEqual(rest, {});
      const { publishableKey } = await admin(wordsOf("key", "show"), settings);
      assert.equal(publishableKey, kind === "publishable" ? key : publishable);
      publishable = publishableKey;
      assert.equal((await send(server, { path, key })).status, 200);
      const refused = async () => (await send(server, { path, key: old })).status === 401;
      await until(`the old ${kind} key is refused`, refused, STALE_MS);
    }
  });

  await t.step(
    "project update changes the name and the Site URL, and an empty one clears it",
    async () => {
      const update = (...words: string[]) =>
        admin(wordsOf("project", "update", ...words), settings);
      const siteUrl = "https://shop.example";
      assert.deepEqual(await update("--name", "Store"), { projectId, name: "Store", siteUrl });
      assert.deepEqual(await update("--site-url", ""), { projectId, name: "Store", siteUrl: null });
      const complete = { projectId, name: "Shop", siteUrl };
      assert.deepEqual(await update("--name", "Shop", "--site-url", `${siteUrl}/`), complete);
    },
  );

  await t.step("user list has pages, searches by e-mail, and prints no hash", async () => {
    const list = (...words: string[]) => admin(wordsOf("user", "list", ...words), settings);
    const first = await list("--limit", "1");
    assert.equal(first.users.length, 1);
    const second = await list("--limit", "1", "--cursor", first.nextCursor);
    assert.notEqual(second.users[0].email, first.users[0].email);
    const { users, nextCursor } = await list("--email", "ANN@example.com");
    assert.deepEqual(users.map((one: { email: string }) => one.email), ["Ann@example.com"]);
    assert.equal(nextCursor, null);
    assert.equal((await list("--search", "nn@")).users.length, 1);
    assert.doesNotMatch(JSON.stringify(await list()), /argon2|passwordHash/);
  });

  await t.step("user delete ends the user's sessions", async () => {
    const { userId } = await admin(
      wordsOf("user", "create", "--email", "bob@example.com"),
      settings,
    );
    const { accessToken: token } = await admin(
      wordsOf("token", "issue", "--user", userId),
      settings,
    );
    const { key } = await admin(wordsOf("key", "rotate", "--kind", "publishable"), settings);
    const call = { path: "/api/data/notes", key, token };
    assert.equal((await send(server, call)).status, 200);
    assert.deepEqual(await admin(wordsOf("user", "delete", "--user", userId), settings), {
      userId,
    });
    const { users } = await admin(wordsOf("user", "list", "--email", "bob@example.com"), settings);
    assert.deepEqual(users, []);
    const refused = async () => (await send(server, call)).status === 401;
    await until("the token is refused", refused, STALE_MS);
  });

  await t.step("collection delete deletes it, and the server follows within 5 s", async () => {
    const { key } = await admin(wordsOf("key", "rotate", "--kind", "secret"), settings);
    const call = { path: "/api/data/things", key };
    assert.equal((await send(server, call)).status, 200);
    const words = wordsOf("collection", "delete", "--collection", "things");
    assert.deepEqual(await admin(words, settings), { collection: "things" });
    const gone = async () => (await send(server, call)).status === 404;
    await until("the collection is gone", gone, STALE_MS);
    const { collections } = await admin(wordsOf("collection", "list"), settings);
    assert.deepEqual(collections.map(({ name }: Named) => name), ["notes"]);
  });

  await t.step("without --json the output is printed for people", async () => {
    const { code, stdout } = await (await run("admin", ["project", "list"], { settings })).ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).projects.length, 2);
  });

  await t.step(
    "project delete moves a project to the trash, from which it can be recovered",
    async () => {
      const { key } = await admin(wordsOf("key", "rotate", "--kind", "secret"), settings);
      const call = { path: "/api/data/notes", key };
      assert.equal((await send(server, call)).status, 200);
      const { restorableUntil, ...rest } = await admin(wordsOf("project", "delete"), settings);
      assert.deepEqual(rest, { projectId });
      assert.ok(Date.parse(restorableUntil) > Date.now());
      const refused = async () => (await send(server, call)).status === 401;
      await until("the project's key is refused", refused, STALE_MS);
      assert.equal(
        (await runAdmin(wordsOf("project", "delete"), settings)).code,
        1,
        "the project is already deleted",
      );
      await admin(wordsOf("project", "restore"), settings);
      await until(
        "the project's key works",
        async () => (await send(server, call)).status === 200,
        STALE_MS,
      );
    },
  );
});
