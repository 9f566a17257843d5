import { USER_FIELDS_BYTES_MAX } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { archiveFurnishedProject, FIRST_POSTS, toNdjson } from "./archived_project.ts";
import { alterArchive, assertTraceless, importBytes, recordsIn } from "./archives.ts";

const TIME = "2026-01-31T12:00:00.000Z";

Deno.test("an import refuses users with invalid or conflicting sign-in data", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services } = app;
  const changes: [object, RegExp][] = [
    [{ emailLower: "eve@example.com" }, /emailLower/],
    [{ passwordHash: "plain" }, /"passwordHash" must be of argon2id .*or of bcrypt/],
    [{ usernameLower: "ada", username: "Eve" }, /usernameLower/],
    [{ disabled: "no" }, /disabled/],
    [{ email: "no address", emailLower: "no address" }, /"email" must be one plain address/],
    [{ name: "x".repeat(201) }, /"name" must have 1 to 200 characters/],
    [{ name: "a\nb" }, /"name" contains a control character/],
    [{ avatarUrl: "javascript:alert(1)" }, /"avatarUrl" must be an https address/],
    [{ roles: ["two words"] }, /"roles" must be a list/],
    [{ roles: Array(21).fill("r") }, /"roles" must be a list/],
    [{ claims: { long: "x".repeat(2_000) } }, /"claims" has more than/],
    [{ fields: { long: "x".repeat(USER_FIELDS_BYTES_MAX) } }, /"fields" has more than/],
    [{ fields: { "a.b": 1 } }, /"fields" has .*contains a dot/],
    [{ providers: [{ provider: "gitlab", providerUserId: "1", linkedAt: TIME }] }, /provider/],
    [{ providers: [{ provider: "github", providerUserId: "", linkedAt: TIME }] }, /providerUserId/],
    [{ isOperator: true }, /isOperator/],
  ];
  for (const [members, refusal] of changes) {
    const altered = await alterArchive(bytes, (all) => {
      const name = "users/0000001.ndjson";
      const [user] = recordsIn(all.get(name)!);
      all.set(name, toNdjson([{ ...user!, record: { ...user!.record, ...members } }]));
    }, { hasMatchingEnd: true });
    await assertTraceless(services, () => importBytes(services, altered), refusal);
  }
});

Deno.test("an import checks definitions, views, files and documents by the rules of the API", async () => {
  const { bytes } = await archiveFurnishedProject();
  await using app = await openTestApp();
  const { services } = app;
  const changed = (text: string, change: (value: Record<string, unknown>) => void) => {
    const value = JSON.parse(text);
    change(value);
    return JSON.stringify(value);
  };
  const setting = (part: string, value: unknown) => (all: Map<string, string>) => {
    all.set(
      "configuration.json",
      changed(all.get("configuration.json")!, (configuration) => configuration[part] = value),
    );
  };
  const document = (members: object) => (all: Map<string, string>) => {
    const [first, ...rest] = recordsIn(all.get(FIRST_POSTS)!);
    Object.assign(first!.record, members);
    all.set(FIRST_POSTS, toNdjson([first, ...rest]));
  };
  const row = (members: object) => (all: Map<string, string>) => {
    const name = [...all.keys()].find((one) => one.endsWith("/row.json"))!;
    all.set(name, changed(all.get(name)!, (value) => Object.assign(value, members)));
  };
  const webhook = { name: "W", url: "javascript:1", events: { posts: ["created"] } };
  const view = (members: object) => (all: Map<string, string>) => {
    const one = { name: "Codes", query: "sort=code", columns: null, ...members };
    all.set("views.json", JSON.stringify({ posts: [one] }));
  };
  const alterations: [Parameters<typeof alterArchive>[1], RegExp][] = [
    [
      (all) =>
        all.set(
          "manifest.json",
          changed(all.get("manifest.json")!, (manifest) => {
            manifest.project = { ...manifest.project as object, name: "x".repeat(500) };
          }),
        ),
      /name/i,
    ],
    [setting("settings", { siteUrl: "javascript:1" }), /settings|Site URL/i],
    [setting("settings", { auth: { signUp: "perhaps" } }), /settings/],
    [
      setting("userFields", [{ key: "email", type: "String" }]),
      /"email" is a member of every user/,
    ],
    [setting("collections", [{ name: "users", fields: [] }]), /collections\.0/],
    [
      setting("mailTemplates", [{ name: "reset", language: "en", subject: "", text: "T" }]),
      /Templates\.0/,
    ],
    [setting("webhooks", [webhook]), /webhooks\.0|address/],
    [setting("providers", [{ provider: "gitlab", enabled: true }]), /providers\.0/],
    [view({ name: "a/b" }), /views\.json.*name/],
    [view({ query: "x".repeat(100_000) }), /views\.json.*query/],
    [row({ filename: "a\0b" }), /row\.json.*filename/],
    [row({ contentType: "text/html\r\nx: y" }), /row\.json.*contentType/],
    [row({ visibility: "secret" }), /row\.json.*visibility/],
    [document({ extra: { $where: "1" } }), /"extra" cannot be stored: the name "\$where"/],
    [document({ "a.b": 1 }), /contains a dot/],
    [document({ extra: ["a\0b"] }), /"extra\.0" contains the character U\+0000/],
  ];
  for (const [alter, refusal] of alterations) {
    const altered = await alterArchive(bytes, alter, { hasMatchingEnd: true });
    await assertTraceless(services, () => importBytes(services, altered), refusal);
  }
});
