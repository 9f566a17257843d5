import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { ALL } from "../store/filter.ts";
import type { StoredRecord } from "../store/port.ts";
import { findProvider, PROVIDER_SETTINGS, type ProviderInput, saveProvider } from "./providers.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER = "66f1a0c2e4b0a1b2c3d4e5f7";

const SECRET = "shh-0123456789abcdef";
const GIVEN: ProviderInput = {
  enabled: true,
  clientId: "client-1",
  clientSecret: SECRET,
  linking: null,
};

const revealed = (settings: Awaited<ReturnType<typeof findProvider>>) =>
  settings && { ...settings, clientSecret: settings.clientSecret?.reveal() ?? null };

Deno.test("saveProvider stores settings for one provider of one project", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  assert.equal(await findProvider(services, PROJECT, "github"), null);
  await saveProvider(services, PROJECT, "github", GIVEN);
  const expected = { enabled: true, clientId: "client-1", clientSecret: SECRET };
  assert.deepEqual(revealed(await findProvider(services, PROJECT, "github")), {
    ...expected,
    linking: "verified",
  });
  assert.equal(await findProvider(services, PROJECT, "google"), null);
  assert.equal(await findProvider(services, OTHER, "github"), null);
});

Deno.test("saveProvider keeps the stored secret and policy if they are omitted", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await saveProvider(services, PROJECT, "github", { ...GIVEN, linking: "never" });
  const changed = await saveProvider(services, PROJECT, "github", {
    enabled: false,
    clientId: "client-2",
    clientSecret: "",
    linking: null,
  });
  assert.deepEqual(revealed(changed), {
    enabled: false,
    clientId: "client-2",
    clientSecret: SECRET,
    linking: "never",
  });
});

Deno.test("saveProvider stores no secret if the first one is empty", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const stored = await saveProvider(services, PROJECT, "github", { ...GIVEN, clientSecret: "" });
  assert.equal(stored.clientSecret, null);
});

Deno.test("saveProvider seals the secret for its project and provider, and never prints it", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const settings = await saveProvider(services, PROJECT, "github", GIVEN);
  assert.equal(Deno.inspect(settings, { depth: 9 }).includes(SECRET), false);
  assert.equal(JSON.stringify(settings).includes(SECRET), false);
  const records = services.engine.records<StoredRecord & { sealed: string }>(
    PROJECT,
    PROVIDER_SETTINGS,
  );
  const stored = (await records.findOne(ALL))!;
  assert.equal(stored.json.includes(SECRET), false);
  const { sealed } = stored.value;
  const open = (project: string, purpose: string) =>
    services.keyRing.open(sealed, { project, purpose });
  assert.equal(await open(PROJECT, "client-secret github"), SECRET);
  await assert.rejects(open(OTHER, "client-secret github"));
  await assert.rejects(open(PROJECT, "client-secret google"));
});

Deno.test("saveProvider refuses invalid ids and secrets without repeating them", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const wrong: Partial<ProviderInput>[] = [
    { clientId: "" },
    { clientId: "two words" },
    { clientId: "x".repeat(501) },
    { clientId: "idé" },
    { clientSecret: "two words" },
    { clientSecret: "line\nbreak" },
    { clientSecret: "x".repeat(501) },
  ];
  for (const one of wrong) {
    await assert.rejects(
      saveProvider(services, PROJECT, "github", { ...GIVEN, ...one }),
      (error: Error & { code: string }) => {
        assert.equal(error.code, "INVALID_INPUT");
        assert.match(error.message, /must be 1 to 500 printable ASCII characters/);
        assert.equal(error.message.includes("words"), false);
        return true;
      },
    );
  }
  assert.equal(await findProvider(services, PROJECT, "github"), null);
});

Deno.test("saveProvider stores one consistent record after 20 concurrent calls", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const saved = Array.from({ length: 20 }, (_, i) => ({
    ...GIVEN,
    clientId: `client-${i}`,
    clientSecret: `secret-${i}`,
  }));
  await Promise.all(saved.map((input) => saveProvider(services, PROJECT, "github", input)));
  assert.equal(await services.engine.records(PROJECT, PROVIDER_SETTINGS).count(ALL), 1);
  const { clientId, clientSecret } = revealed(await findProvider(services, PROJECT, "github"))!;
  assert.equal(clientSecret?.slice("secret-".length), clientId.slice("client-".length));
});
