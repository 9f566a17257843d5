import assert from "node:assert/strict";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import { setTemplate } from "@/lib/mail/template_store.ts";
import {
  type ProjectConfiguration,
  pullConfiguration,
} from "@/lib/operations/project_configuration.ts";
import { pushConfiguration, type PushOptions } from "@/lib/operations/push_configuration.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { setProvider } from "@/lib/social/manage_providers.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

const SECRET = "a-secret-of-the-provider";

/** A project in which everything is set that can be. */
async function furnished(app: TestApp): Promise<TestProject> {
  const { services } = app;
  const project = await app.project({ siteUrl: "https://blog.example" });
  const { projectId } = project;
  await changeProject(services, projectId, {
    allowedOrigins: ["https://app.example"],
    auth: { signUp: "closed" },
    files: { userUploads: "signed-in" },
  });
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  await project.collection({
    name: "comments",
    fields: [{ key: "post", type: "Ref", ref: "posts" }],
    rls: { mode: "public-read" },
  });
  await saveUserFields(services, projectId, [{ key: "company", type: "String", public: true }]);
  await setTemplate(services, projectId, {
    name: "code",
    language: "en",
    subject: "{{code}}",
    text: "{{code}}",
  });
  await createWebhook(services, projectId, {
    name: "Search",
    url: "https://hooks.example/corbel",
    events: { posts: ["created"] },
  });
  const given = { enabled: true, clientId: "id", clientSecret: SECRET };
  await setProvider(services, projectId, "github", given);
  return project;
}

const pull = ({ services }: TestApp, { projectId }: TestProject) =>
  pullConfiguration(services, projectId);

const push = (
  { services }: TestApp,
  { projectId }: TestProject,
  given: ProjectConfiguration,
  options?: PushOptions,
) => pushConfiguration(services, projectId, given, options);

const told = (changes: readonly { action: string; what: string }[]): string[] =>
  changes.map(({ action, what }) => `${action} ${what}`);

Deno.test("what is pulled of one project makes another alike, and holds no secret", async () => {
  await using app = await openTestApp();
  const whole = await pull(app, await furnished(app));
  const text = JSON.stringify(whole);
  assert.ok(!text.includes(SECRET) && !text.includes("whsec_") && !/[ps]k_live_/.test(text));
  const other = await app.project();
  // A provider is switched on where its secret is known.
  const providers = whole.providers.map((one) => ({ ...one, enabled: false }));
  const given = { ...whole, providers };
  const changes = await push(app, other, given);
  assert.deepEqual(told(changes), [
    "change settings",
    "change user fields",
    "create collections comments, posts",
    "create mail template code en",
    "change provider github",
    "create webhook Search",
  ]);
  assert.deepEqual(await pull(app, other), given);
  assert.deepEqual(await push(app, other, given), [], "nothing is different any more");
});

Deno.test("each change is told part by part, and a dry run makes none", async () => {
  await using app = await openTestApp();
  const project = await furnished(app);
  const before = await pull(app, project);
  const given: ProjectConfiguration = {
    settings: { auth: { signUp: "open" } },
    collections: [
      ...before.collections.filter(({ name }) => name !== "posts"),
      parseDefinition({
        name: "posts",
        fields: [{ key: "title", type: "String", required: true }, { key: "n", type: "Number" }],
        rls: { mode: "public-read" },
        strict: false,
      }),
    ],
    mailTemplates: [],
    webhooks: [{ ...before.webhooks[0]!, enabled: false }],
  };
  const changes = await push(app, project, given, { dryRun: true });
  assert.deepEqual(
    changes.map(({ action, what, details }) => [action, what, ...details]),
    [
      ["change", "settings", 'auth.signUp: "closed" becomes "open"'],
      [
        "change",
        "collection posts",
        "field n is added",
        "field title.required: false becomes true",
        'rls.mode: "private" becomes "public-read"',
      ],
      ["change", "webhook Search", "enabled: true becomes false"],
      ["delete", "mail template code en"],
    ],
  );
  assert.deepEqual(await pull(app, project), before);
  assert.deepEqual(told(await push(app, project, given)), told(changes));
  const after = await pull(app, project);
  assert.equal(after.settings.auth!.signUp, "open");
  assert.deepEqual(after.settings.allowedOrigins, before.settings.allowedOrigins, "not given");
  assert.deepEqual(after.userFields, before.userFields, "not given");
  assert.deepEqual(after.mailTemplates, []);
});

Deno.test("a field that is renamed is told as such, moves its values, and is no change any more", async () => {
  await using app = await openTestApp();
  const project = await furnished(app);
  const before = await pull(app, project);
  const { _id } = ok(
    await project.asSecret({ path: "/api/data/posts", body: { title: "Hello" } }),
    201,
  );
  const given: ProjectConfiguration = {
    collections: [
      ...before.collections.filter(({ name }) => name !== "posts"),
      parseDefinition({
        name: "posts",
        fields: [{ key: "headline", type: "String", index: true, renamedFrom: "title" }],
      }),
    ],
  };
  const [change, ...others] = await push(app, project, given, { dryRun: true });
  assert.deepEqual(others, []);
  assert.deepEqual(change!.details, [
    "renames title to headline",
    "field headline.index: false becomes true",
  ]);
  assert.deepEqual(await pull(app, project), before);
  await push(app, project, given);
  assert.deepEqual(await push(app, project, given), [], "it is done");
  const document = ok(await project.asSecret({ path: `/api/data/posts/${_id}` }));
  assert.deepEqual([document.headline, "title" in document], ["Hello", false]);
  assert.doesNotMatch(JSON.stringify(await pull(app, project)), /renamedFrom/);
  const wrong = [parseDefinition({
    name: "posts",
    fields: [{ key: "b", type: "String", renamedFrom: "title" }],
  })];
  await assert.rejects(
    push(app, project, {
      collections: [...before.collections.filter(({ name }) => name !== "posts"), ...wrong],
    }),
    {
      code: "INVALID_DEFINITION",
      message: /"title": there is no such field/,
    },
  );
});

Deno.test("what would lose documents is refused before anything is done, unless it may", async () => {
  await using app = await openTestApp();
  const project = await furnished(app);
  await project.asSecret({ path: "/api/data/posts", body: { title: "One" } });
  const before = await pull(app, project);
  const given: ProjectConfiguration = { settings: { siteUrl: null }, collections: [] };
  await assert.rejects(push(app, project, given), /collection posts \(1 documents\).*--allow-loss/);
  assert.deepEqual(await pull(app, project), before);
  const changes = await push(app, project, given, { allowLoss: true });
  assert.deepEqual(told(changes), [
    "change settings",
    "delete collection comments",
    "delete collection posts",
  ]);
  assert.deepEqual((await pull(app, project)).collections, []);
});

Deno.test("where stored documents stand in the way it says how far it got, and goes on from there", async () => {
  await using app = await openTestApp();
  const project = await furnished(app);
  const { body: { data } } = await project.asSecret({
    path: "/api/data/posts",
    body: { title: "One" },
  });
  const { collections } = await pull(app, project);
  const given: ProjectConfiguration = {
    settings: { siteUrl: "https://other.example" },
    collections: [
      ...collections.filter(({ name }) => name !== "posts"),
      parseDefinition({ name: "posts", fields: [{ key: "title", type: "Number" }] }),
    ],
  };
  await assert.rejects(push(app, project, given), /To change collection posts.*1 of 2 changes/);
  assert.equal((await pull(app, project)).settings.siteUrl, "https://other.example");
  const path = `/api/data/posts/${data._id}?permanent=true`;
  await project.asSecret({ method: "DELETE", path });
  assert.deepEqual(told(await push(app, project, given)), ["change collection posts"]);
});
