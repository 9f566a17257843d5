import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { createProject, send } from "./project.ts";
import { refusedStart } from "./refused_start.ts";
import { run, type Settings, startServer } from "./server.ts";

const KEY_BASE64 = btoa("0123456789abcdef0123456789abcdef");

Deno.test("all invalid settings are reported at once, and no file or listener is created", async () => {
  await using store = await createTestStore();
  const output = await refusedStart({
    ...store.settings,
    TRUST_PROXY: "-1",
    LOG_LEVEL: "loud",
    PUBLIC_URL: "nonsense",
    RATE_LIMIT_PER_MINUTE: "none",
    RATE_LIMITS: "perhaps",
  });
  for (
    const part of [
      'TRUST_PROXY[^\\n]*"-1"',
      'LOG_LEVEL[^\\n]*"loud"',
      'PUBLIC_URL[^\\n]*"nonsense"',
      'RATE_LIMIT_PER_MINUTE[^\\n]*"none"',
      'RATE_LIMITS[^\\n]*"perhaps"',
    ]
  ) assert.match(output, new RegExp(part));
  assert.ok(await store.isUntouched());
});

Deno.test("an invalid port or database is refused with its value", async () => {
  for (const PORT of ["0", "65536", "http", "80.5", "-1"]) {
    assert.match(await refusedStart({ PORT }), new RegExp(`PORT[^\\n]*"${PORT}"`));
  }
  const DATABASE_URL = "mysql://localhost/corbel";
  assert.match(await refusedStart({ DATABASE_URL }), /DATABASE_URL[^\n]*mysql/);
});

Deno.test("a public address that would send cookies unencrypted is refused unless it is allowed", async () => {
  await using store = await createTestStore();
  for (
    const PUBLIC_URL of [
      "http://corbel.example",
      "http://192.0.2.1:8000",
      "http://localhost.example",
    ]
  ) {
    const output = await refusedStart({ ...store.settings, PUBLIC_URL });
    assert.match(output, /PUBLIC_URL[^\n]*ALLOW_INSECURE_COOKIES=true/);
  }
  const wrong = { PUBLIC_URL: "http://corbel.example", ALLOW_INSECURE_COOKIES: "yes" };
  assert.match(
    await refusedStart({ ...store.settings, ...wrong }),
    /ALLOW_INSECURE_COOKIES[^\n]*"yes"/,
  );
  const more: Settings[] = [
    { PUBLIC_URL: "http://corbel.example", ALLOW_INSECURE_COOKIES: "true" },
    { PUBLIC_URL: "https://corbel.example" },
    { PUBLIC_URL: "http://[::1]:8000" },
  ];
  for (const settings of more) {
    await using server = await startServer({ store, settings });
    const { body } = await send(server, { path: "/" });
    assert.ok(
      JSON.stringify(body).includes(settings.PUBLIC_URL!),
      "responses contain the public address",
    );
  }
});

Deno.test("a malformed key ring is refused without printing any of it", async () => {
  const material = "TWFsZm9ybWVkU2VjcmV0";
  for (
    const SECRET_KEYS of [
      `key1:${material}`,
      `key1:${material}!!`,
      material,
      `key1:${KEY_BASE64},key1:${KEY_BASE64}`,
      `key1:${KEY_BASE64},key2:${material}`,
      `:${KEY_BASE64}`,
    ]
  ) {
    const output = await refusedStart({ SECRET_KEYS, DATABASE_URL: "mysql://x" });
    assert.match(output, /SECRET_KEYS/);
    assert.match(output, /DATABASE_URL/, "the other problem is reported too");
    assert.ok(!output.includes(material) && !output.includes(KEY_BASE64), output);
  }
});

Deno.test("a store with another key ring is refused with a remedy", async () => {
  await using store = await createTestStore();
  const key = (letter: string) => `key1:${btoa(letter.repeat(32))}`;
  const settings = { ...store.settings, SECRET_KEYS: key("a") };
  await createProject(settings);
  const output = await refusedStart({ ...settings, SECRET_KEYS: key("b") });
  assert.match(
    output,
    /"key1" of the key ring is not the one.*set the original key in SECRET_KEYS/s,
  );
  const missing = await refusedStart({ ...settings, SECRET_KEYS: key("b").replace("1", "2") });
  assert.match(missing, /"key1", which values .* is not in the key ring: add it to SECRET_KEYS/s);
  await using server = await startServer({ store, settings: { SECRET_KEYS: key("a") } });
  assert.equal((await send(server, { path: "/api/health/ready" })).status, 200);
});

Deno.test("a port in use is refused by name, and its owner continues", async () => {
  await using server = await startServer();
  await using store = await createTestStore();
  const settings = { ...store.settings, PORT: String(server.port) };
  const { code, stderr } = await (await run("start", [], { settings })).ended;
  assert.notEqual(code, 0);
  assert.match(stderr, /in use/i);
  assert.doesNotMatch(stderr, /^\s+at /m);
  assert.ok(stderr.includes(String(server.port)), `the port is printed: ${stderr}`);
  assert.equal((await send(server, { path: "/api/health" })).status, 200);
});
