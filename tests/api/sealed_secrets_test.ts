import assert from "node:assert/strict";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { resolveKey } from "@/lib/ai/keys.ts";
import { memberOf, type ProjectMember } from "@/lib/projects/members.ts";
import { findProvider, saveProvider } from "@/lib/projects/providers.ts";
import { CONTROL_SEALS, PROJECT_SEALS, reseal } from "@/lib/operations/reseal.ts";
import { findStorage, openStorageKeys } from "@/lib/files/storage_settings.ts";
import { findMailSettings, openMailServer, setMailSettings } from "@/lib/mail/settings.ts";
import { restoreProject, trashProject } from "@/lib/operations/project_trash.ts";
import type { Services } from "@/lib/services.ts";
import { generateState, storeState, takeState } from "@/lib/social/states.ts";
import { KNOWN_KEYS } from "@/lib/runtime/known_keys.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import type { StoredRecord } from "@/lib/store/port.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { openTestServices } from "../support/test_services.ts";
import type { TestStore } from "../support/test_store.ts";
import { createTestStore } from "../support/test_store.ts";
import { times } from "./test_collection.ts";
import { setStorage } from "@/tests/support/given.ts";

const keyRingOf = (...ids: string[]) =>
  ids.map((id) => `${id}:${btoa(id.padEnd(32, "."))}`).join(",");

const SECRET = "the-secret-of-an-application";
const BUCKET = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};

const MAIL = {
  url: "smtp://blog:the%20mail%20password@smtp.example.com:587",
  from: "Blog <blog@example.com>",
};

const openWithKeys = (store: TestStore, ...ids: string[]) =>
  openTestApp({ store, env: { SECRET_KEYS: keyRingOf(...ids) } });

/** Creates a project with a value of every kind that is sealed. */
async function sealEverything(store: TestStore) {
  await using app = await openWithKeys(store, "old");
  const { services } = app;
  const owner = await openAccount(app, { plan: "pro" });
  const { projectId } = await createOwnedProject(owner);
  const bare = await createOwnedProject(owner);
  const put = (path: string, aiKey: string) => owner.send({ method: "PUT", path, body: { aiKey } });
  await put("/api/user/me/byok", "gsk_account");
  await put(`/api/projects/${projectId}/byok`, "gsk_project");
  const provider = { enabled: true, clientId: "id", clientSecret: SECRET, linking: null };
  await saveProvider(services, projectId, "github", provider);
  await setStorage(services, projectId, BUCKET);
  await setMailSettings(services, projectId, MAIL);
  const state = generateState(projectId);
  await storeState(services, projectId, {
    challenge: { state, verifier: "verifier", nonce: "nonce" },
    returnTo: null,
    applicationState: "mine",
    trialPath: null,
    provider: "github",
    browserHash: "browser",
  });
  return { projectId, bareId: bare.projectId, owner, state };
}

type SealedProject = Awaited<ReturnType<typeof sealEverything>>;

const signedIn = ({ owner: { accountId, email } }: SealedProject): SignedInAccount => ({
  accountId,
  sessionId: accountId,
  email,
  plan: "pro",
});

/** Opens every sealed value through the code that uses it. */
async function openAll(services: Services, filled: SealedProject): Promise<unknown[]> {
  const { projectId, bareId, state } = filled;
  const account = signedIn(filled);
  const aiKey = async (id: string) =>
    (await resolveKey(services, await memberOf(services, account, id))).apiKey.reveal();
  const { accessKeyId, secretAccessKey } = await openStorageKeys(
    services.keyRing,
    (await findStorage(services, projectId))!.value,
  );
  const mail = (await findMailSettings(services, projectId))!;
  const begun = await takeState(services, projectId, {
    state,
    provider: "github",
    browserHashes: ["browser"],
  });
  await (await services.signingKeys.find(projectId))!.privateKey();
  await (await services.signingKeys.find(bareId))!.privateKey();
  return [
    await aiKey(projectId),
    await aiKey(bareId),
    (await findProvider(services, projectId, "github"))!.clientSecret!.reveal(),
    accessKeyId.reveal(),
    secretAccessKey.reveal(),
    (await openMailServer(services, projectId, mail))!.url.reveal(),
    begun?.challenge.verifier,
  ];
}

const ALL_SECRETS = [
  "gsk_project",
  "gsk_account",
  SECRET,
  BUCKET.accessKeyId,
  BUCKET.secretAccessKey,
  MAIL.url,
  "verifier",
];

/** Returns the ids of the keys under which the store's values are sealed. */
async function keysInUse(
  { engine }: Services,
  { projectId, bareId }: SealedProject,
): Promise<string[]> {
  const ids = new Set<string>();
  const places = [
    ...CONTROL_SEALS.map((place) => ["control", place] as const),
    ...[projectId, bareId].flatMap((id) => PROJECT_SEALS.map((place) => [id, place] as const)),
  ];
  for (const [space, { definition, member }] of places) {
    const { items } = await engine.records(space, definition)
      .list({ filter: ALL, sort: [], limit: 100 });
    for (const record of parseJson(`[${items}]`) as StoredRecord[]) {
      const sealed = record[member];
      if (typeof sealed === "string") ids.add(sealed.split(".")[1]!);
    }
  }
  return [...ids].toSorted();
}

Deno.test("after resealing everything opens without the old key", async () => {
  await using store = await createTestStore();
  const filled = await sealEverything(store);
  const blind = () => openTestServices({ store, env: { SECRET_KEYS: keyRingOf("new") } });
  await assert.rejects(blind, /The key "old", which values in this store are sealed with, is not/);
  {
    await using serving = await openWithKeys(store, "new", "old");
    await using admin = await openWithKeys(store, "new", "old");
    assert.deepEqual(await keysInUse(serving.services, filled), ["old"]);
    const result = await reseal(admin.services);
    assert.deepEqual(result, { resealed: 8, ok: true, unopened: [] });
    assert.deepEqual(await keysInUse(serving.services, filled), ["new"]);
    assert.deepEqual(await reseal(admin.services), { resealed: 0, ok: true, unopened: [] });
    await serving.services.tokens.issue(
      filled.projectId,
      { userId: filled.projectId, sessionId: filled.projectId },
      60,
    );
  }
  await using last = await openTestServices({ store, env: { SECRET_KEYS: keyRingOf("new") } });
  assert.deepEqual(await openAll(last.services, filled), ALL_SECRETS);
});

Deno.test("resealing includes a project in the trash, which opens when it is restored", async () => {
  await using store = await createTestStore();
  const filled = await sealEverything(store);
  {
    await using admin = await openWithKeys(store, "new", "old");
    const { services } = admin;
    const project = { _id: filled.projectId, name: "Test" } as ProjectMember["project"];
    await trashProject(services, { project, account: signedIn(filled) }, "Test");
    assert.equal((await reseal(services)).resealed, 8);
  }
  await using last = await openTestServices({ store, env: { SECRET_KEYS: keyRingOf("new") } });
  await restoreProject(last.services, filled.projectId);
  assert.deepEqual(await openAll(last.services, filled), ALL_SECRETS);
});

Deno.test("a value that changes during resealing keeps its latest value", async () => {
  await using store = await createTestStore();
  const filled = await sealEverything(store);
  await using serving = await openWithKeys(store, "new", "old");
  await using older = await openWithKeys(store, "old", "new");
  await using admin = await openWithKeys(store, "new", "old");
  const saved: string[] = [];
  const change = async (services: Services, i: number) => {
    const clientSecret = `secret-${i}`;
    const input = { enabled: true, clientId: "id", clientSecret, linking: null };
    await saveProvider(services, filled.projectId, "github", input);
    saved.push(clientSecret);
  };
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; !isOver; i++) await change((i % 2 === 0 ? serving : older).services, i);
  })();
  for (const _ of times(5, () => 0)) {
    const { ok, unopened } = await reseal(admin.services);
    assert.ok(ok, JSON.stringify(unopened));
  }
  isOver = true;
  await writing;
  const latest = await findProvider(serving.services, filled.projectId, "github");
  assert.equal(latest!.clientSecret!.reveal(), saved.at(-1));
  await reseal(admin.services);
  assert.deepEqual(await keysInUse(serving.services, filled), ["new"]);
  const now = await findProvider(serving.services, filled.projectId, "github");
  assert.equal(now!.clientSecret!.reveal(), saved.at(-1));
});

Deno.test("resealing names a value that no key opens, leaves it, and reseals the rest", async () => {
  await using store = await createTestStore();
  const filled = await sealEverything(store);
  {
    await using other = await openWithKeys(store, "lost", "old");
    const input = { enabled: true, clientId: "id", clientSecret: SECRET, linking: null };
    await saveProvider(other.services, filled.projectId, "github", input);
    // Simulates an earlier version, which did not record keys.
    await other.services.engine.records("control", KNOWN_KEYS).deleteOne(eq("keyId", "lost"));
  }
  await using admin = await openWithKeys(store, "new", "old");
  const { resealed, ok, unopened } = await reseal(admin.services);
  assert.deepEqual([resealed, ok], [7, false]);
  assert.deepEqual(unopened.map(({ project, kind }) => [project, kind]), [
    [filled.projectId, "_providers"],
  ]);
  assert.deepEqual(await keysInUse(admin.services, filled), ["lost", "new"]);
});

Deno.test("resealing does not overwrite a value that is replaced at the same moment", async () => {
  await using store = await createTestStore();
  const filled = await sealEverything(store);
  await using admin = await openWithKeys(store, "new", "old");
  const { services } = admin;
  let isDue = true;
  const replace = async () => {
    if (!isDue) return;
    isDue = false;
    const input = { enabled: true, clientId: "id", clientSecret: "the-latest", linking: null };
    await saveProvider(services, filled.projectId, "github", input);
  };
  const keyRing = Object.assign(Object.create(services.keyRing), {
    fingerprints: () => services.keyRing.fingerprints(),
    async reseal(...given: Parameters<typeof services.keyRing.reseal>) {
      const resealed = await services.keyRing.reseal(...given);
      if (given[1].purpose === "client-secret github") await replace();
      return resealed;
    },
  });
  const result = await reseal({ ...services, keyRing });
  assert.deepEqual(result.unopened, []);
  assert.equal(isDue, false);
  const latest = await findProvider(services, filled.projectId, "github");
  assert.equal(latest!.clientSecret!.reveal(), "the-latest");
});
