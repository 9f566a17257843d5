import assert from "node:assert/strict";
import { inspect } from "node:util";
import { Secret } from "./secret.ts";

const VALUE = "sk_live_do-not-print-me";

Deno.test("reveal returns the secret value", () => {
  assert.equal(new Secret(VALUE).reveal(), VALUE);
});

Deno.test("a secret converts to [secret] in strings", () => {
  const secret = new Secret(VALUE);
  assert.equal(String(secret), "[secret]");
  assert.equal(`${secret}`, "[secret]");
  assert.equal("" + secret, "[secret]");
  assert.equal([secret, secret].join(), "[secret],[secret]");
});

Deno.test("a secret converts to [secret] in JSON at any depth", () => {
  const secret = new Secret(VALUE);
  assert.equal(JSON.stringify(secret), '"[secret]"');
  assert.equal(JSON.stringify({ a: [{ b: secret }] }), '{"a":[{"b":"[secret]"}]}');
});

Deno.test("a secret is inspected as [secret], also inside other objects", () => {
  const secret = new Secret(VALUE);
  assert.equal(Deno.inspect(secret), "[secret]");
  const container = { config: { key: secret }, list: [secret], map: new Map([["key", secret]]) };
  for (
    const output of [
      Deno.inspect(container, { depth: 10 }),
      Deno.inspect(container, { depth: 10, showHidden: true }),
      inspect(container, { depth: 10, showHidden: true }),
    ]
  ) {
    assert.equal(output.includes(VALUE), false, output);
  }
  assert.match(Deno.inspect(container, { depth: 10 }), /key: \[secret\]/);
});

Deno.test("the console prints [secret] for an object that contains a secret", () => {
  const output: string[] = [];
  const original = globalThis.console;
  globalThis.console = new Proxy(original, {
    get: () => (...values: unknown[]) =>
      void output.push(values.map((value) => Deno.inspect(value)).join(" ")),
  });
  try {
    console.log({ key: new Secret(VALUE) });
    console.error("key", new Secret(VALUE));
  } finally {
    globalThis.console = original;
  }
  assert.deepEqual(output, ["{ key: [secret] }", '"key" [secret]']);
});

Deno.test("no property, key or copy of a secret reveals its value", () => {
  const secret = new Secret(VALUE);
  const reachable = [
    ...Reflect.ownKeys(secret).map((key) => Reflect.get(secret, key)),
    ...Object.entries(secret).flat(),
    JSON.stringify(structuredClone(secret)),
    JSON.stringify({ ...secret }),
  ];
  assert.equal(reachable.map(String).some((text) => text.includes(VALUE)), false);
});
