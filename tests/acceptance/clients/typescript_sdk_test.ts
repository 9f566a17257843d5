/** Runs `@urbackend/sdk` from npm, and asserts the differences that docs/clients.md describes. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import urBackend, {
  AuthError,
  AuthModule,
  DatabaseModule,
  type DocumentData,
  MailModule,
  NotFoundError,
  parseApiError,
  SchemaModule,
  StorageModule,
  UrBackendClient,
  UrBackendError,
  ValidationError,
} from "@urbackend/sdk";
import { openOutside, type Outside } from "./outside.ts";

/** Classes with public methods, and how an application gets an instance of each. */
const MODULES = {
  auth: AuthModule,
  db: DatabaseModule,
  storage: StorageModule,
  schema: SchemaModule,
  mail: MailModule,
  client: UrBackendClient,
} as const;

type ModuleName = keyof typeof MODULES;

/** Members of the client that its types hide. */
const PRIVATE = ["constructor", "buildQueryString"];

const publicMethods = (): string[] =>
  Object.entries(MODULES).flatMap(([name, { prototype }]) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([method, { value }]) => typeof value === "function" && !PRIVATE.includes(method))
      .map(([method]) => `${name}.${method}`)
  );

const called = new Set<string>();

function recorded<T extends object>(name: ModuleName, module: T): T {
  return new Proxy(module, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      called.add(`${name}.${String(key)}`);
      return value.bind(target);
    },
  });
}

function connect({ fixture }: Outside, apiKey: string) {
  const client = urBackend({ apiKey, baseUrl: fixture.server.url });
  return {
    client: recorded("client", client),
    auth: recorded("auth", client.auth),
    db: recorded("db", client.db),
    storage: recorded("storage", client.storage),
    schema: recorded("schema", client.schema),
    mail: recorded("mail", client.mail),
  };
}

const refused = (
  call: Promise<unknown>,
  kind: typeof UrBackendError | typeof NotFoundError | typeof ValidationError,
  statusCode: number,
): Promise<void> =>
  assert.rejects(call, (error: UrBackendError) => {
    assert.ok(error instanceof kind, String(error));
    assert.equal(error.statusCode, statusCode);
    assert.match(error.message, /^(?!An unexpected error)[A-Z"]/, "Corbel's own message");
    return true;
  });

const PASSWORD = "a difference engine";
const NEXT_PASSWORD = "an analytical engine";
const LAST_PASSWORD = "a jacquard loom";

interface Post extends DocumentData {
  readonly title: string;
  readonly views?: number;
  readonly tags?: string[];
}

async function tryAuth(outside: Outside, t: Deno.TestContext): Promise<void> {
  const { project: { publishableKey } } = outside;
  const email = "ada@example.com";
  const { auth, db } = connect(outside, publishableKey);
  const stranger = connect(outside, publishableKey);

  await t.step("signUp returns a session with a user that matches the types", async () => {
    const answer = await auth.signUp({ email, password: PASSWORD, username: "ada", name: "Ada" });
    assert.deepEqual(
      Object.keys(answer).sort(),
      ["accessToken", "expiresIn", "refreshToken", "token", "user", "userId"],
    );
    const { _id, ...user } = answer.user as { readonly [member: string]: unknown };
    assert.equal(_id, answer.userId);
    assert.deepEqual([user.email, user.username, user.name], [email, "ada", "Ada"]);
    assert.equal(auth.getToken(), answer.accessToken);
    assert.equal(auth.getRefreshToken(), answer.refreshToken);
    await refused(stranger.auth.signUp({ email, password: PASSWORD }), UrBackendError, 409);
  });

  await t.step("verifyEmail accepts the mailed code once", async () => {
    const otp = await outside.nextCode(email);
    assert.deepEqual(await auth.verifyEmail({ email, otp }), { message: "E-mail verified" });
    await refused(stranger.auth.verifyEmail({ email, otp }), ValidationError, 400);
    assert.equal((await auth.me()).emailVerified, true);
  });

  await t.step("me, updateProfile and publicProfile describe one user", async () => {
    const { message } = await auth.updateProfile({ name: "Ada Lovelace" });
    assert.equal(message, "User changed");
    const me = await auth.me();
    assert.deepEqual([me.name, me.email], ["Ada Lovelace", email]);
    // Changing an e-mail requires a code, and this client does not have that operation.
    await refused(auth.updateProfile({ email: "countess@example.com" }), ValidationError, 400);
    assert.equal((await auth.me()).email, email);
    const profile = await stranger.auth.publicProfile("ada");
    assert.deepEqual(
      [profile._id, profile.username, profile.name],
      [me._id, "ada", "Ada Lovelace"],
    );
    assert.ok(!("email" in profile), "other users do not see the e-mail");
    await refused(stranger.auth.publicProfile("nobody"), NotFoundError, 404);
    await refused(stranger.auth.me("no.token"), AuthError, 401);
  });

  await t.step(
    "changePassword keeps this session, and login accepts the new password",
    async () => {
      const change = { currentPassword: "not this one", newPassword: NEXT_PASSWORD };
      await refused(auth.changePassword(change), ValidationError, 400);
      const changed = await auth.changePassword({ ...change, currentPassword: PASSWORD });
      assert.deepEqual(changed, { message: "Password changed" });
      assert.equal((await auth.me()).email, email);
      await refused(stranger.auth.login({ email, password: PASSWORD }), AuthError, 401);
      const answer = await auth.login({ email, password: NEXT_PASSWORD });
      assert.equal(answer.token, answer.accessToken);
      assert.equal(answer.user!._id, answer.userId);
      assert.equal(
        typeof answer.expiresIn,
        "number",
        "a number of seconds, although the types say text",
      );
    },
  );

  await t.step("refreshToken renews both, and so does a call with an expired token", async () => {
    const before = auth.getRefreshToken();
    const renewed = await auth.refreshToken();
    assert.notEqual(renewed.refreshToken, before);
    assert.deepEqual([auth.getToken(), auth.getRefreshToken()], [
      renewed.accessToken,
      renewed.refreshToken,
    ]);
    auth.setToken("expired");
    assert.deepEqual(await db.getAll("notes"), []);
    assert.notEqual(auth.getToken(), "expired");
    await refused(stranger.auth.refreshToken("no.token"), AuthError, 401);
  });

  await t.step("requestPasswordReset and resetPassword end all sessions", async () => {
    const before = auth.getRefreshToken();
    const { message } = await stranger.auth.requestPasswordReset({ email });
    assert.equal(message, "If a user has this e-mail, a code is on its way");
    const again = await stranger.auth.requestPasswordReset({ email });
    assert.deepEqual(
      again,
      { message },
      "within a minute, no second mail is sent, and the request is not refused",
    );
    assert.deepEqual(await stranger.auth.requestPasswordReset({ email: "no@example.com" }), {
      message,
    }, "the response does not reveal whether an address has an account");
    const entered = { email, otp: await outside.nextCode(email), newPassword: LAST_PASSWORD };
    assert.deepEqual(await stranger.auth.resetPassword(entered), { message: "Password reset" });
    await refused(stranger.auth.resetPassword(entered), ValidationError, 400);
    await refused(stranger.auth.refreshToken(before), AuthError, 401);
    await auth.login({ email, password: LAST_PASSWORD });
  });

  await t.step("logout ends the session", async () => {
    const token = auth.getToken()!;
    assert.deepEqual(await auth.logout(), { success: true, message: "Signed out" });
    assert.equal(auth.getToken(), undefined);
    await refused(stranger.auth.me(token), AuthError, 401);
    // The client keeps the token, but the server no longer accepts it.
    await refused(auth.refreshToken(), AuthError, 401);
  });

  await t.step("resendVerificationOtp sends a code to an unverified user", async () => {
    const bob = { email: "bob@example.com", password: PASSWORD };
    await outside.unverifiedUser(bob);
    const { message } = await stranger.auth.resendVerificationOtp({ email: bob.email });
    assert.equal(message, "If it can be verified, a code is on its way");
    const otp = await outside.nextCode(bob.email);
    // The types of the client have no password here, but its call sends all given fields.
    const withPassword: { email: string; otp: string } = { ...bob, otp };
    await stranger.auth.verifyEmail(withPassword);
    const { user } = await stranger.auth.login(bob);
    // Unset fields are null, although the types omit them.
    assert.deepEqual([user!.emailVerified, user!.name, user!.username], [true, null, null]);
    await stranger.auth.logout();
  });

  await t.step("socialStart leads to the provider, and socialExchange signs in", async () => {
    const started = await fetch(auth.socialStart("github"), { redirect: "manual" });
    await started.body?.cancel();
    assert.equal(started.status, 302);
    assert.ok(started.headers.get("location")!.startsWith(outside.fixture.github.url));
    const returned = await outside.socialReturn();
    const { refreshToken } = await auth.socialExchange(returned);
    assert.equal(auth.getRefreshToken(), refreshToken);
    await refused(stranger.auth.socialExchange(returned), ValidationError, 400);
    await auth.refreshToken();
    assert.equal((await auth.me()).emailVerified, true);
    auth.setRefreshToken();
    assert.equal(auth.getRefreshToken(), undefined);
  });
}

async function trySettings(outside: Outside, t: Deno.TestContext): Promise<void> {
  const { auth, client } = connect(outside, outside.project.publishableKey);
  await outside.changeSettings();

  await t.step(
    "signUp does not reveal which addresses have accounts if they must be verified",
    async () => {
      for (const email of ["ada@example.com", "new@example.com"]) {
        const answer: unknown = await auth.signUp({ email, password: PASSWORD });
        assert.deepEqual(answer, { verificationRequired: true });
        assert.equal(auth.getToken(), undefined);
      }
      const credentials = { email: "new@example.com", password: PASSWORD };
      await refused(auth.login(credentials), AuthError, 403);
    },
  );

  await t.step("me has no e-mail for an anonymous user", async () => {
    const path = "/api/userAuth/anonymous";
    const { accessToken } = await client.request<{ accessToken: string }>("POST", path);
    assert.equal((await auth.me(accessToken)).email, null);
  });
}

async function tryDatabase(outside: Outside, t: Deno.TestContext): Promise<void> {
  const { project: { publishableKey, secretKey } } = outside;
  const { client, auth, db } = connect(outside, publishableKey);
  const stranger = connect(outside, publishableKey);
  const server = connect(outside, secretKey);
  await auth.signUp({ email: "writer@example.com", password: PASSWORD });
  const token = auth.getToken()!;
  const author = await server.db.insert("authors", { name: "Mary" });

  await t.step("insert, getOne, patch, update and delete work on one document", async () => {
    const data = { title: "One", views: 1, tags: ["a"], author: author._id, meta: { lang: "en" } };
    const post = await db.insert<Post>("posts", data, token);
    assert.deepEqual([post.title, post.views, post.tags], ["One", 1, ["a"]]);
    assert.deepEqual(await stranger.db.getOne<Post>("posts", post._id), post);
    const [populated, expanded] = await Promise.all([
      stranger.db.getOne("posts", post._id, { populate: "author" }),
      stranger.db.getOne("posts", post._id, { expand: ["author"] }),
    ]);
    assert.equal((populated.author as DocumentData).name, "Mary");
    assert.deepEqual(populated, expanded);
    const patched = await db.patch<Post>("posts", post._id, { views: 2 });
    assert.deepEqual([patched.title, patched.views], ["One", 2]);
    const replaced = await db.update<Post>("posts", post._id, { title: "First" }, token);
    assert.deepEqual([replaced.title, "views" in replaced, "tags" in replaced], [
      "First",
      false,
      false,
    ]);
    await refused(stranger.db.patch("posts", post._id, { views: 3 }), AuthError, 401);
    await refused(db.insert("posts", { views: 3 }), ValidationError, 400);
    assert.deepEqual(await db.delete("posts", post._id), { deleted: true });
    await refused(db.getOne("posts", post._id), NotFoundError, 404);
    await refused(db.delete("posts", post._id), NotFoundError, 404);
    // The deleted post is in the trash.
    await client.request("PATCH", `/api/data/posts/${post._id}/recover`);
    assert.equal((await db.getOne<Post>("posts", post._id)).title, "First");
    await db.delete("posts", post._id);
    await refused(db.getOne("posts", "post_123"), ValidationError, 400);
  });

  await t.step(
    "db refuses users as a collection, and a write with only the publishable key",
    async () => {
      await refused(server.db.getAll("users"), AuthError, 403);
      assert.deepEqual(await stranger.db.getAll("open"), []);
      await refused(stranger.db.insert("open", { n: 1 }), AuthError, 403);
      await refused(db.insert("open", { n: 1 }), AuthError, 403);
      const documents = Array.from({ length: 101 }, (_, n) => ({ n }));
      await server.client.request("POST", "/api/data/open/bulk", {
        body: { documents: documents.slice(1) },
      });
      await server.db.insert("open", documents[0]!);
      // The default size of a page.
      assert.equal((await stranger.db.getAll("open")).length, 100);
      assert.equal((await stranger.db.getAll("open", { limit: 1000 })).length, 101);
    },
  );

  await t.step("getAll and count take filters, sorts, pages and populate", async () => {
    for (const [i, title] of ["One", "Two", "Three"].entries()) {
      const published = i > 0;
      await db.insert("posts", { title, views: i + 1, published, tags: [title, "all"] });
    }
    const titles = async (params: Parameters<typeof db.getAll>[1]) =>
      (await stranger.db.getAll<Post>("posts", params)).map(({ title }) => title);
    assert.deepEqual(await titles({ sort: "createdAt:desc" }), ["Three", "Two", "One"]);
    assert.deepEqual(await titles({ sort: "-views", limit: 1, page: 2 }), ["Two"]);
    assert.deepEqual(await titles({ sort: "-views", limit: 2, skip: 1 }), ["Two", "One"]);
    assert.deepEqual(await titles({ filter: { views_gte: 2 }, sort: "views" }), ["Two", "Three"]);
    assert.deepEqual(await titles({ filter: { published: false } }), ["One"]);
    assert.deepEqual(await titles({ filter: { title_in: ["One", "Two"] }, sort: "views" }), [
      "One",
      "Two",
    ]);
    assert.deepEqual(await titles({ filter: { tags: "Two" }, populate: ["author"] }), ["Two"]);
    assert.equal(await stranger.db.count("posts"), 3);
    assert.equal(await stranger.db.count("posts", { filter: { views_gt: 1 } }), 2);
    // A list never omits rows silently.
    await refused(stranger.db.getAll("posts", { limit: 1001 }), ValidationError, 400);
    assert.deepEqual(await stranger.db.getAll("nothing"), [], "the client converts a 404");
    await refused(stranger.db.count("nothing"), NotFoundError, 404);
  });

  await t.step("notes are visible only to their author", async () => {
    const note = await db.insert("notes", { text: "Mine" });
    assert.deepEqual((await db.getAll("notes")).map(({ _id }) => _id), [note._id]);
    await refused(stranger.db.getAll("notes"), AuthError, 401);
    await stranger.auth.signUp({ email: "reader@example.com", password: PASSWORD });
    assert.deepEqual(await stranger.db.getAll("notes"), []);
    await refused(stranger.db.getOne("notes", note._id), NotFoundError, 404);
  });
}

async function tryServer(outside: Outside, t: Deno.TestContext): Promise<void> {
  const { project: { publishableKey, secretKey } } = outside;
  const page = connect(outside, publishableKey);
  const { client, storage, schema, mail } = connect(outside, secretKey);

  await t.step("upload, its parts and deleteFile store and delete a file", async () => {
    const bytes = new TextEncoder().encode("Hello");
    const file = new File([bytes], "hello.txt", { type: "text/plain" });
    for (const given of [file, new Blob([bytes], { type: "text/plain" }), Buffer.from(bytes)]) {
      const { url, path, provider } = await storage.upload(given, "hello.txt");
      assert.equal(provider, "internal");
      assert.equal(await (await fetch(url)).text(), "Hello");
      assert.deepEqual(await storage.deleteFile(path), { deleted: true });
      await refused(storage.deleteFile(path), NotFoundError, 404);
    }
    const asked = await storage.requestUploadUrl("hello.txt", "text/plain", bytes.length);
    assert.equal(asked.token, undefined);
    await StorageModule.uploadToPresignedUrl(file, asked.signedUrl);
    const stored = await storage.confirmUpload(asked.filePath, bytes.length);
    assert.equal(stored.path, asked.filePath);
    assert.deepEqual(
      await storage.deleteFile(stored.url),
      { deleted: true },
      "a file is deleted by its address",
    );
    await refused(page.storage.upload(file), AuthError, 403);
  });

  await t.step("getSchema returns a collection's fields", async () => {
    const { name, model } = await schema.getSchema(" posts ");
    assert.equal(name, "posts");
    const fields = Object.fromEntries(model.map((field) => [field.key, field]));
    assert.deepEqual([fields.title!.type, fields.title!.required], ["String", true]);
    assert.equal(fields.tags!.items!.type, "String");
    assert.equal(fields.author!.ref, "authors");
    assert.deepEqual(fields.meta!.fields!.map(({ key, type }) => [key, type]), [
      ["lang", "String"],
    ]);
    await refused(schema.getSchema("nothing"), NotFoundError, 404);
  });

  await t.step("mail.send sends to one, to several and by a template", async () => {
    const sent = await mail.send({ to: "one@example.com", subject: "Hello", text: "There" });
    assert.match(sent.id!, /^[0-9a-f]{24}$/);
    assert.deepEqual([sent.provider, typeof sent.monthlyLimit], ["default", "number"]);
    assert.equal((await outside.mails.next("one@example.com")).text.trim(), "There");
    const to = ["two@example.com", "three@example.com"];
    const both = await mail.send({ to, subject: "Hello", html: "<p>There</p>" });
    assert.equal(both.monthlyUsage, sent.monthlyUsage + 2);
    for (const one of to) assert.match((await outside.mails.next(one)).html!, /<p>There<\/p>/);
    const variables = { name: "Ada", projectName: "Acme" };
    const templated = { to: "four@example.com", templateName: "welcome", variables };
    await connect(outside, outside.keyWithTemplate).mail.send(templated);
    const { subject, text } = await outside.mails.next("four@example.com");
    assert.deepEqual([subject, text.trim()], ["Welcome to Acme", "Hello Ada"]);
    // Templates are those of the project, which has none at first.
    await refused(mail.send(templated), NotFoundError, 404);
    await refused(page.mail.send(templated), AuthError, 403);
  });

  await t.step("the client describes its project and sends any request", async () => {
    assert.equal(client.getBaseUrl(), outside.fixture.server.url);
    assert.equal(client.getApiKey(), secretKey);
    const { items } = await client.request<{ items: unknown[] }>("GET", "/api/userAuth/users");
    assert.ok(items.length > 0);
    const address = `${client.getBaseUrl()}/api/userAuth/users/${"0".repeat(24)}`;
    const answer = await fetch(address, { headers: { "x-api-key": secretKey } });
    const error = await parseApiError(answer);
    assert.ok(error instanceof NotFoundError);
    assert.equal(error.message, "There is no such user in this project.");
  });
}

Deno.test({
  name: "every public method of @urbackend/sdk does what its types or docs/clients.md say",
  // The client does not read the response to an upload.
  sanitizeResources: false,
  async fn(t) {
    await using outside = await openOutside();
    await tryAuth(outside, t);
    await tryDatabase(outside, t);
    await tryServer(outside, t);
    await trySettings(outside, t);
    assert.deepEqual(publicMethods().filter((method) => !called.has(method)), []);
    assert.ok(publicMethods().length > 30);
  },
});
