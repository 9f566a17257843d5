import assert from "node:assert/strict";
import type { Id } from "../store/port.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import {
  bounded,
  changedFields,
  fieldsOfNewUser,
  saveUserFields,
  type UserField,
} from "./user_fields.ts";
import { shownFields } from "../auth/public_profile.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6" as Id;

async function declared(
  ...fields: { readonly [member: string]: unknown }[]
): Promise<readonly UserField[]> {
  await using opened = await openTestServices();
  return await saveUserFields(opened.services, PROJECT, fields);
}

const FIELDS = await declared(
  { key: "company", type: "String", required: true, public: true },
  { key: "theme", type: "String", default: "dark" },
  { key: "age", type: "Number" },
  { key: "born", type: "Date" },
);

const refusedAs = (path: string, says: RegExp) => (error: unknown) => {
  const { code, message, faults } = error as {
    code: string;
    message: string;
    faults: { path: string }[];
  };
  assert.equal(code, "INVALID_BODY");
  assert.match(message, says);
  assert.equal(faults[0]!.path, path);
  return true;
};

Deno.test("a new user's fields have the defaults, and dates in their one form", () => {
  const given = { company: "Engines", born: "1815-12-10" };
  assert.deepEqual(fieldsOfNewUser(FIELDS, given), {
    company: "Engines",
    theme: "dark",
    born: "1815-12-10T00:00:00.000Z",
  });
  assert.deepEqual(given, { company: "Engines", born: "1815-12-10" }, "what was given stays");
  assert.equal(fieldsOfNewUser(FIELDS, { company: "E", theme: null }).theme, null);
});

Deno.test("a new user needs required fields, unless nobody asked them", () => {
  const isMissing = refusedAs("company", /"?company"? is required/);
  assert.throws(() => fieldsOfNewUser(FIELDS, {}), isMissing);
  assert.throws(() => fieldsOfNewUser(FIELDS, { company: null }), isMissing);
  assert.deepEqual(fieldsOfNewUser(FIELDS, {}, true), { theme: "dark" });
});

Deno.test("undeclared fields are refused by name, with the nearest or with those that are declared", () => {
  assert.throws(
    () => fieldsOfNewUser(FIELDS, { company: "E", compny: "E" }),
    refusedAs("compny", /is not declared \(did you mean "company"\?\)\.$/),
  );
  assert.throws(
    () => fieldsOfNewUser(FIELDS, { company: "E", shoeSize: "E" }),
    refusedAs("shoeSize", /is not declared\. Declared are company, theme, age, born\.$/),
  );
  const profile = refusedAs("nmae", /is not declared\. Did you mean "name"\?$/);
  assert.throws(() => fieldsOfNewUser(FIELDS, { company: "E", nmae: "E" }), profile);
  assert.throws(
    () => changedFields([], { a: 1 }),
    refusedAs("a", /is not declared\. The project declares no fields for its users\.$/),
  );
});

Deno.test("a change has no defaults and needs nothing, but cannot clear what is required", () => {
  assert.deepEqual(changedFields(FIELDS, {}), {});
  assert.deepEqual(changedFields(FIELDS, { age: null, theme: "light" }), {
    age: null,
    theme: "light",
  });
  assert.throws(
    () => changedFields(FIELDS, { company: null }),
    refusedAs("company", /required and cannot be null/),
  );
  assert.throws(() => changedFields(FIELDS, { age: "old" }), refusedAs("age", /age/));
});

Deno.test("fields have 65,536 bytes of JSON together, and not one more", () => {
  const text = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
  assert.deepEqual(bounded(text(65_536)), text(65_536));
  assert.throws(() => bounded(text(65_537)), { code: "INVALID_BODY", message: /65536 bytes/ });
});

Deno.test("the bound on fields counts bytes, not letters", () => {
  const wide = { a: "€".repeat(30_000) };
  assert.throws(() => bounded(wide), { code: "INVALID_BODY" });
});

Deno.test("each declared field is shown, null where nothing is stored, and nothing else", () => {
  const stored = { company: "Engines", former: "hidden" };
  assert.deepEqual(shownFields(FIELDS, stored), {
    company: "Engines",
    theme: null,
    age: null,
    born: null,
  });
  const empty = { company: null, theme: null, age: null, born: null };
  assert.deepEqual(shownFields(FIELDS, undefined), empty);
  assert.deepEqual(shownFields(FIELDS, Object.create({ company: "inherited" })), empty);
});

Deno.test("what is saved is known at once here, and within five seconds in another process", async () => {
  await using one = await openTestServices();
  await using two = await openTestServices({ store: one.store, clock: one.clock });
  for (const { services } of [one, two]) {
    assert.deepEqual(await services.userFields.of(PROJECT), []);
  }
  const saved = await saveUserFields(one.services, PROJECT, [{ key: "company", type: "String" }]);
  assert.deepEqual(await one.services.userFields.of(PROJECT), saved);
  one.clock.advance(5_000);
  assert.deepEqual(await two.services.userFields.of(PROJECT), saved);
});
