import assert from "node:assert/strict";
import type { Id } from "../store/port.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import {
  checkFieldsSize,
  saveUserFields,
  toChangedFields,
  toNewUserFields,
  type UserField,
} from "./user_fields.ts";
import { declaredValues } from "../auth/public_profile.ts";

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

Deno.test("toNewUserFields adds defaults and normalizes dates", () => {
  const given = { company: "Engines", born: "1815-12-10" };
  assert.deepEqual(toNewUserFields(FIELDS, given), {
    company: "Engines",
    theme: "dark",
    born: "1815-12-10T00:00:00.000Z",
  });
  assert.deepEqual(given, { company: "Engines", born: "1815-12-10" }, "what was given stays");
  assert.equal(toNewUserFields(FIELDS, { company: "E", theme: null }).theme, null);
});

Deno.test("toNewUserFields requires required fields unless the user was not asked for them", () => {
  const isMissing = refusedAs("company", /"?company"? is required/);
  assert.throws(() => toNewUserFields(FIELDS, {}), isMissing);
  assert.throws(() => toNewUserFields(FIELDS, { company: null }), isMissing);
  assert.deepEqual(toNewUserFields(FIELDS, {}, true), { theme: "dark" });
});

Deno.test("toNewUserFields refuses undeclared fields and suggests declared ones", () => {
  assert.throws(
    () => toNewUserFields(FIELDS, { company: "E", compny: "E" }),
    refusedAs("compny", /is not declared \(did you mean "company"\?\)\.$/),
  );
  assert.throws(
    () => toNewUserFields(FIELDS, { company: "E", shoeSize: "E" }),
    refusedAs("shoeSize", /is not declared\. Declared are company, theme, age, born\.$/),
  );
  const profile = refusedAs("nmae", /is not declared\. Did you mean "name"\?$/);
  assert.throws(() => toNewUserFields(FIELDS, { company: "E", nmae: "E" }), profile);
  assert.throws(
    () => toChangedFields([], { a: 1 }),
    refusedAs("a", /is not declared\. The project declares no fields for its users\.$/),
  );
});

Deno.test("toChangedFields adds no defaults and refuses to clear required fields", () => {
  assert.deepEqual(toChangedFields(FIELDS, {}), {});
  assert.deepEqual(toChangedFields(FIELDS, { age: null, theme: "light" }), {
    age: null,
    theme: "light",
  });
  assert.throws(
    () => toChangedFields(FIELDS, { company: null }),
    refusedAs("company", /required and cannot be null/),
  );
  assert.throws(() => toChangedFields(FIELDS, { age: "old" }), refusedAs("age", /age/));
});

Deno.test("toNewUserFields accepts 65,536 bytes of JSON and refuses one more", () => {
  const text = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
  assert.deepEqual(checkFieldsSize(text(65_536)), text(65_536));
  assert.throws(() => checkFieldsSize(text(65_537)), {
    code: "INVALID_BODY",
    message: /65536 bytes/,
  });
});

Deno.test("toNewUserFields counts bytes instead of characters", () => {
  const wide = { a: "€".repeat(30_000) };
  assert.throws(() => checkFieldsSize(wide), { code: "INVALID_BODY" });
});

Deno.test("toUserDetails returns all declared fields, null without a value, and no others", () => {
  const stored = { company: "Engines", former: "hidden" };
  assert.deepEqual(declaredValues(FIELDS, stored), {
    company: "Engines",
    theme: null,
    age: null,
    born: null,
  });
  const empty = { company: null, theme: null, age: null, born: null };
  assert.deepEqual(declaredValues(FIELDS, undefined), empty);
  assert.deepEqual(declaredValues(FIELDS, Object.create({ company: "inherited" })), empty);
});

Deno.test("saveUserFields takes effect at once here and within five seconds in other processes", async () => {
  await using one = await openTestServices();
  await using two = await openTestServices({ store: one.store, clock: one.clock });
  for (const { services } of [one, two]) {
    assert.deepEqual(await services.userFields.ofProject(PROJECT), []);
  }
  const saved = await saveUserFields(one.services, PROJECT, [{ key: "company", type: "String" }]);
  assert.deepEqual(await one.services.userFields.ofProject(PROJECT), saved);
  one.clock.advance(5_000);
  assert.deepEqual(await two.services.userFields.ofProject(PROJECT), saved);
});
