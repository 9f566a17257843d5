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

/** Creates a project in which everything that can be configured is set. */
async function createConfiguredProject(app: TestApp): Promise<TestProject> {
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

const describeChanges = (changes: readonly { action: string; what: string }[]): string[] =>
  changes.map(({ action, what }) => `${action} ${what}`);

Deno.test("pushing a pulled configuration makes another project equal, and it contains no secret", async () => {
  await using app = await openTestApp();
  const pulled = await pull(app, await createConfiguredProject(app));
  const text = JSON.stringify(pulled);
  assert.ok(!text.includes(SECRET) && !text.includes("whsec_") && !/[ps]k_live_/.test(text));
  const other = await app.project();
  // A provider is enabled only where its secret is known.
  const providers = pulled.providers.map((one) => ({ ...one, enabled: false }));
  const given = { ...pulled, providers };
  const changes = await push(app, other, given);
  assert.deepEqual(describeChanges(changes), [
    "change settings",
    "change user fields",
    "create collections comments, posts",
    "create mail template code en",
    "change provider github",
    "create webhook Search",
  ]);
  assert.deepEqual(await pull(app, other), given);
  assert.deepEqual(await push(app, other, given), [], "the projects are equal");
});

Deno.test("each change is reported part by part, and a dry run makes none", async () => {
  await using app = await openTestApp();
  const project = await createConfiguredProject(app);
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
  assert.deepEqual(describeChanges(await push(app, project, given)), describeChanges(changes));
  const after = await pull(app, project);
  assert.equal(after.settings.auth!.signUp, "open");
  assert.deepEqual(
    after.settings.allowedOrigins,
    before.settings.allowedOrigins,
    "unchanged, because it is not given",
  );
  assert.deepEqual(after.userFields, before.userFields, "unchanged, because it is not given");
  assert.deepEqual(after.mailTemplates, []);
});

Deno.test("a renamed field is reported as such, keeps its values, and is not reported again", async () => {
  await using app = await openTestApp();
  const project = await createConfiguredProject(app);
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
        strict: false,
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
  assert.deepEqual(await push(app, project, given), [], "the rename is not repeated");
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

Deno.test("a push that would lose documents is refused before it starts, unless allowed", async () => {
  await using app = await openTestApp();
  const project = await createConfiguredProject(app);
  await project.asSecret({ path: "/api/data/posts", body: { title: "One" } });
  const before = await pull(app, project);
  const given: ProjectConfiguration = { settings: { siteUrl: null }, collections: [] };
  await assert.rejects(push(app, project, given), /collection posts \(1 documents\).*--allow-loss/);
  assert.deepEqual(await pull(app, project), before);
  const changes = await push(app, project, given, { allowLoss: true });
  assert.deepEqual(describeChanges(changes), [
    "change settings",
    "delete collection comments",
    "delete collection posts",
  ]);
  assert.deepEqual((await pull(app, project)).collections, []);
});

Deno.test("a push that stored documents prevent reports its progress and can be continued", async () => {
  await using app = await openTestApp();
  const project = await createConfiguredProject(app);
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
  await assert.rejects(
    push(app, project, given),
    /Could not change collection posts.*1 of 2 changes/,
  );
  assert.equal((await pull(app, project)).settings.siteUrl, "https://other.example");
  const path = `/api/data/posts/${data._id}?permanent=true`;
  await project.asSecret({ method: "DELETE", path });
  assert.deepEqual(describeChanges(await push(app, project, given)), ["change collection posts"]);
});
