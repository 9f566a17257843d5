import assert from "node:assert/strict";
import { commandTable, type OperationsDocument, operationsOf } from "@/client/commands/table.ts";
import { COMMAND_WORDS, GROUPS, SAME_AS } from "@/client/commands/words.ts";
import { buildDocument } from "@/openapi/document.ts";

const document = buildDocument() as unknown as OperationsDocument; // As far as commands need it.
const { commands } = commandTable(document);
const operationIds = operationsOf(document).map(({ operation }) => operation.operationId);

Deno.test("every operation that takes a personal access token has one command, and no other has", () => {
  const named = [...Object.keys(COMMAND_WORDS), ...Object.keys(SAME_AS)];
  assert.deepEqual(named.toSorted(), operationIds.toSorted());
  for (const other of Object.values(SAME_AS)) assert.ok(other in COMMAND_WORDS, other);
  assert.ok(commands.length > 70);
});

Deno.test("no two commands are called the same, and each is in a group that the help lists", () => {
  const words = Object.values(COMMAND_WORDS);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) assert.match(word, /^[a-z]+ [a-z-]+$/);
  const groups = new Set(words.map((word) => word.split(" ")[0]!));
  assert.deepEqual([...groups].toSorted(), Object.keys(GROUPS).toSorted());
});

Deno.test("every parameter and every member of a body has an option of its own, none that of all commands", () => {
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

Deno.test("what is confidential is no argument", () => {
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
