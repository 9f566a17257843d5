import assert from "node:assert/strict";
import { inspect } from "node:util";
import { Secret } from "./secret.ts";

const VALUE = "sk_live_do-not-print-me";

Deno.test("a secret is revealed on request only", () => {
  assert.equal(new Secret(VALUE).reveal(), VALUE);
});

Deno.test("a secret prints as [secret] in texts", () => {
  const secret = new Secret(VALUE);
  assert.equal(String(secret), "[secret]");
  assert.equal(`${secret}`, "[secret]");
  assert.equal("" + secret, "[secret]");
  assert.equal([secret, secret].join(), "[secret],[secret]");
});

Deno.test("a secret prints as [secret] in JSON, at any depth", () => {
  const secret = new Secret(VALUE);
  assert.equal(JSON.stringify(secret), '"[secret]"');
  assert.equal(JSON.stringify({ a: [{ b: secret }] }), '{"a":[{"b":"[secret]"}]}');
});

Deno.test("a secret prints as [secret] when it is inspected, also inside other objects", () => {
  const secret = new Secret(VALUE);
  assert.equal(Deno.inspect(secret), "[secret]");
  const holder = { config: { key: secret }, list: [secret], map: new Map([["key", secret]]) };
  for (
    const shown of [
      Deno.inspect(holder, { depth: 10 }),
      Deno.inspect(holder, { depth: 10, showHidden: true }),
      inspect(holder, { depth: 10, showHidden: true }),
    ]
  ) {
    assert.equal(shown.includes(VALUE), false, shown);
  }
  assert.match(Deno.inspect(holder, { depth: 10 }), /key: \[secret\]/);
});

Deno.test("the console shows [secret] for an object that holds a secret", () => {
  const shown: string[] = [];
  const original = globalThis.console;
  globalThis.console = new Proxy(original, {
    get: () => (...values: unknown[]) =>
      void shown.push(values.map((value) => Deno.inspect(value)).join(" ")),
  });
  try {
    console.log({ key: new Secret(VALUE) });
    console.error("key", new Secret(VALUE));
  } finally {
    globalThis.console = original;
  }
  assert.deepEqual(shown, ["{ key: [secret] }", '"key" [secret]']);
});

Deno.test("no property, key or copy of a secret leads to its value", () => {
  const secret = new Secret(VALUE);
  const reachable = [
    ...Reflect.ownKeys(secret).map((key) => Reflect.get(secret, key)),
    ...Object.entries(secret).flat(),
    JSON.stringify(structuredClone(secret)),
    JSON.stringify({ ...secret }),
  ];
  assert.equal(reachable.map(String).some((text) => text.includes(VALUE)), false);
});
