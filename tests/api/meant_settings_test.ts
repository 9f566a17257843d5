import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

Deno.test("an unknown member of a body is reported with a suggestion, and not repeated", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const settings = (body: unknown) => owner.asOwner({ method: "PATCH", path: "", body });
  const cases: [unknown, RegExp][] = [
    [{ stieUrl: null }, /^"stieUrl" is not a setting: .* Did you mean "siteUrl"\?$/],
    [{ auth: { singUp: "open" } }, /^"auth" may have only .* Did you mean "signUp"\?$/],
    [{ auth: { signUp: "opne" } }, /Did you mean "open"\?$/],
    [{ files: { userUpload: "off" } }, /^"files" may have only .* Did you mean "userUploads"\?$/],
    [{ files: { userUploads: "signedin" } }, /Did you mean "signed-in"\?$/],
  ];
  for (const [body, why] of cases) refused(await settings(body), 400, "INVALID_BODY", why);
});

Deno.test("an unknown part of a definition is reported with a suggestion", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "authors" });
  const field = { key: "title", type: "String" };
  const cases: [unknown, RegExp][] = [
    [{ feilds: [] }, /Did you mean "fields"\?$/],
    [{ fields: [{ ...field, requierd: true }] }, /Did you mean "required"\?$/],
    [{ fields: [{ ...field, type: "string" }] }, /^fields\.0\.type: .* Did you mean "String"\?$/],
    [{ fields: [{ ...field, type: "Refs" }] }, /Did you mean "Ref"\?$/],
    [{ fields: [{ key: "a", type: "Array", items: { typ: "String" } }] }, /fields\.0\.items/],
    [{ fields: [{ key: "a", type: "Ref", ref: "author" }] }, /Did you mean "authors"\?$/],
    [{ rls: { mode: "public_read" } }, /^rls\.mode: .* Did you mean "public-read"\?$/],
    [{ rls: { onwerField: "a" } }, /Did you mean "ownerField"\?$/],
    [{ indexes: [{ field: ["title"] }] }, /Invalid|fields/],
    [{ fields: [field], indexes: [{ fields: ["-titel"] }] }, /\(did you mean "title"\?\)/],
  ];
  for (const [parts, why] of cases) {
    const body = { name: "posts", ...parts as object };
    const answer = await owner.asOwner({ path: "/collections", body });
    refused(answer, 400, "INVALID_DEFINITION", why);
  }
});

Deno.test("mistyped roles, webhook events and collections are reported with suggestions", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  const invited = await owner.asOwner({
    path: "/members",
    body: { email: "ada@example.com", role: "amdin" },
  });
  refused(invited, 400, "INVALID_BODY", /Did you mean "admin"\?$/);
  const webhook = (events: unknown) =>
    owner.asOwner({ path: "/webhooks", body: { name: "a", url: "https://example.com/", events } });
  refused(await webhook({ posts: ["craeted"] }), 400, "INVALID_BODY", /Did you mean "created"\?$/);
  refused(await webhook({ post: ["created"] }), 400, "INVALID_INPUT", /Did you mean "posts"\?$/);
});
