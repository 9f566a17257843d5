import assert from "node:assert/strict";
import { commandTable, type OperationsDocument, operationsOf } from "@/client/commands/table.ts";
import { ALIASES, COMMAND_WORDS, GROUPS } from "@/client/commands/words.ts";
import { buildDocument } from "@/openapi/document.ts";

const document = buildDocument() as unknown as OperationsDocument; // The part that commands need.
const { commands } = commandTable(document);
const operationIds = operationsOf(document).map(({ operation }) => operation.operationId);

Deno.test("exactly the operations that take a personal access token have a command", () => {
  const named = [...Object.keys(COMMAND_WORDS), ...Object.keys(ALIASES)];
  assert.deepEqual(named.toSorted(), operationIds.toSorted());
  for (const other of Object.values(ALIASES)) assert.ok(other in COMMAND_WORDS, other);
  assert.ok(commands.length > 70);
});

Deno.test("commands have different names, and each is in a group that the help lists", () => {
  const words = Object.values(COMMAND_WORDS);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) assert.match(word, /^[a-z]+ [a-z-]+$/);
  const groups = new Set(words.map((word) => word.split(" ")[0]!));
  assert.deepEqual([...groups].toSorted(), Object.keys(GROUPS).toSorted());
});

Deno.test("parameters and body members have their own options, different from the common ones", () => {
  const ofAll = ["url", "token", "token-file", "data", "to", "json", "all", "allow-http", "help"];
  for (const { group, verb, options, path } of commands) {
    const names = options.map(({ option }) => option);
    assert.equal(new Set(names).size, names.length, `${group} ${verb}`);
    assert.deepEqual(names.filter((name) => ofAll.includes(name)), [], `${group} ${verb}`);
    for (const name of names) assert.match(name, /^[a-z]+(?:-[a-z]+)*$/);
    const inPath = options.filter((one) => one.in === "path").map(({ name }) => name);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    assert.deepEqual(inPath.toSorted(), named.toSorted());
  }
});

Deno.test("secrets are not arguments", () => {
  const secret = commands.flatMap(({ group, verb, options }) =>
    options.filter(({ type }) => type === "secret").map(({ option }) =>
      `${group} ${verb} ${option}`
    )
  );
  assert.deepEqual(secret.toSorted(), [
    "ai set-key ai-key",
    "mail set address",
    "providers set client-secret",
    "storage set secret-access-key",
    "users create password",
    "users update password",
  ]);
  const looksSecret = /secret|password|key$/i;
  const open = commands.flatMap(({ options }) =>
    options.filter(({ name, type }) => looksSecret.test(name) && type !== "secret")
      .map(({ option }) => option)
  );
  assert.deepEqual([...new Set(open)], ["idempotency-key"]);
});
