import assert from "node:assert/strict";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { readCommand, runCommand } from "@/routes/admin/mod.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { createCollection, createProject, createUser, send, THINGS } from "./project.ts";
import { admin, runAdmin, startServer } from "./server.ts";

const UNKNOWN_ID = "0123456789abcdef01234567";

const nested = (levels: number) =>
  '{"name":"a","fields":[' + '{"key":"x","type":"Object","fields":['.repeat(levels) +
  "]}".repeat(levels) + "]}";

/** Encodes a text with one byte per UTF-16 code unit. */
const bytesOf = (text: string) => Uint8Array.from([...text].map((one) => one.charCodeAt(0)));

/** Arguments, standard input, and the pattern that the message must match. */
type Case = readonly [
  words: readonly string[],
  stdin: string | Uint8Array | null,
  expected: RegExp,
];

async function runInProcess(services: Services, words: readonly string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const { log, error } = console;
  console.log = (line) => stdout.push(line);
  console.error = (line) => stderr.push(line);
  try {
    const asked = readCommand([...words, "--json"]);
    const code = typeof asked === "number" ? asked : await runCommand(services, asked);
    return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
  } finally {
    Object.assign(console, { log, error });
  }
}

Deno.test("a refused command gives its reason on standard error, exits with 1 and stores nothing", async (t) => {
  await using server = await startServer();
  const { settings } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const { id: userId } = await createUser(settings, project);
  await admin(
    ["user", "create", "--project", project.projectId, "--email", "Ann@example.com"],
    settings,
  );
  const file = `${server.store.folder}/definition.json`;
  await Deno.writeTextFile(file, JSON.stringify({ ...THINGS, name: "others" }));

  const wordsOf = (...words: string[]) => [
    ...words.slice(0, 2),
    "--project",
    project.projectId,
    ...words.slice(2),
  ];
  const create = wordsOf("collection", "create", "--file", "-");
  const update = wordsOf("collection", "update", "--file", "-");
  const defined = (name: string, more = {}) => JSON.stringify({ name, fields: [], ...more });
  const field = (name: string, more: unknown) => defined(name, { fields: [more] });
  const token = wordsOf("token", "issue", "--user", userId);
  const user = wordsOf("user", "create", "--email");
  const provider = (...words: string[]) => wordsOf("provider", "set", "--provider", ...words);

  const cases: Record<string, readonly Case[]> = {
    "an unknown or missing command, with the commands there are": [
      [[], null, /project create/],
      [["project"], null, /project create/],
      [["project", "destroy"], null, /project destroy[^]*project create/],
      [["project", "craete"], null, /Did you mean "project create"\?/],
      [["projct", "list"], null, /Did you mean "project list"\?/],
      [["acount"], null, /Did you mean "account"\?/],
    ],
    "a missing, unknown or empty option": [
      [["project", "create"], null, /--name/],
      [["project", "create", "--name", ""], null, /--name/],
      [["project", "create", "--name", "x", "--colour", "red"], null, /--colour/],
      [["project", "create", "--nam", "x"], null, /no option --nam here\. Did you mean --name\?/],
      [["project", "update", "--project", project.projectId], null, /--name, --site-url/],
      [["account", "list", "--limit", "0"], null, /--limit must be a whole number from 1 to 1000/],
      [["account", "list", "--cursor", "x"], null, /INVALID_CURSOR/],
      [wordsOf("user", "list", "--limit", "1001"), null, /--limit/],
      [wordsOf("user", "delete"), null, /--user/],
      [wordsOf("collection", "delete"), null, /--collection/],
      [["collection", "create", "--project", project.projectId], null, /--file/],
      [["collection", "list"], null, /--project/],
      [["project", "list", "everything"], null, /everything/],
      [wordsOf("key", "rotate"), null, /--kind/],
      [wordsOf("user", "create"), null, /--email/],
      [wordsOf("token", "issue"), null, /--user/],
      [wordsOf("provider", "set", "--client-id", "x"), "secret", /--provider/],
      [provider("github"), "secret", /--client-id/],
    ],
    "an option of the wrong kind": [
      [["project", "create", "--name", "x", "--site-url", "http://shop.example"], null, /https/],
      [["project", "create", "--name", "x", "--site-url", "nonsense"], null, /Site URL/],
      [wordsOf("key", "rotate", "--kind", "private"), null, /publishable or secret/],
      [[...user, "no address"], null, /e-mail/i],
      [[...token, "--ttl", "0"], null, /--ttl/],
      [
        provider("github", "--client-id", "x", "--linking", "always"),
        "secret",
        /never or verified/,
      ],
      [provider("github", "--client-id", "two words"), "secret", /client id/],
      [provider("github", "--client-id", "x"), "two words", /client secret/],
      [provider("github", "--client-id", "x"), "x".repeat(5000), /4096 bytes/],
      [provider("github", "--client-id", "x"), bytesOf("s\0e\0\n\0"), /is UTF-16, not UTF-8/],
      [provider("github", "--client-id", "x"), bytesOf("s\u00fc\n"), /is not UTF-8, but perhaps/],
      [[...token, "--ttl", "1.5"], null, /--ttl/],
      [[...token, "--ttl", "soon"], null, /--ttl/],
      [[...token, "--ttl=-5"], null, /--ttl/],
      [[...token, "--ttl", "99999999999999999999"], null, /--ttl/],
    ],
    "an unknown project, user or collection": [
      [["collection", "list", "--project", UNKNOWN_ID], null, /[Pp]roject not found/],
      [["collection", "list", "--project", "shop"], null, /[Ii]nvalid project/],
      [
        ["key", "rotate", "--project", UNKNOWN_ID, "--kind", "secret"],
        null,
        /[Pp]roject not found/,
      ],
      [
        ["collection", "create", "--project", UNKNOWN_ID, "--file", file],
        null,
        /[Pp]roject not found/,
      ],
      [wordsOf("token", "issue", "--user", UNKNOWN_ID), null, /no such user/i],
      [wordsOf("token", "issue", "--user", "ann"), null, /24 hexadecimal/],
      [["project", "delete", "--project", UNKNOWN_ID], null, /[Pp]roject not found/],
      [["project", "update", "--project", UNKNOWN_ID, "--name", "x"], null, /[Pp]roject not found/],
      [wordsOf("collection", "delete", "--collection", "nothing"), null, /no such collection/i],
      [wordsOf("user", "delete", "--user", UNKNOWN_ID), null, /no such user/i],
      [wordsOf("user", "delete", "--user", "ann"), null, /24 hexadecimal/],
      [update, defined("nothing"), /no such collection/i],
      [provider("gitlab", "--client-id", "x"), "secret", /github or google/],
      [
        ["provider", "set", "--project", UNKNOWN_ID, "--provider", "github", "--client-id", "x"],
        "secret",
        /[Pp]roject not found/,
      ],
      [update, defined("THINGS"), /no such collection/i],
    ],
    "a definition that cannot be read": [
      [
        wordsOf("collection", "create", "--file", `${server.store.folder}/missing.json`),
        null,
        /missing\.json/,
      ],
      [wordsOf("collection", "create", "--file", server.store.folder), null, /read/],
      [create, "", /JSON/],
      [create, bytesOf('{"name":"M\u00fcll"}'), /not UTF-8, but perhaps Windows-1252 \(line 1\)/],
      [create, bytesOf("\xff\xfe{\0}\0"), /is UTF-16, not UTF-8: save it as UTF-8/],
      [create, '{"name":', /JSON/],
    ],
    "a definition that does not hold": [
      [create, "[]", /./],
      [create, "[".repeat(10_000) + "]".repeat(10_000), /object|nested|deep/],
      [create, nested(10_000), /nested|deep/],
      [create, "{}", /name/],
      [create, defined("1st"), /name/],
      [create, defined("users"), /users/],
      [create, defined("UsersOfMine"), /users/i],
      [create, field("a", { key: "x", type: "Text" }), /type/],
      [create, field("a", { key: "createdAt", type: "Date" }), /createdAt/],
      [create, field("a", { key: "x", type: "Ref", ref: "nowhere" }), /nowhere/],
      [create, field("a", { key: "x", type: "Number", default: "one" }), /default/],
      [create, field("a", { key: "x", type: "Boolean", unique: true }), /unique/],
      [create, defined("a", { colour: "red" }), /colour/],
      [create, defined("a", { rls: { mode: "public" } }), /mode/],
    ],
    "what is taken": [
      [create, defined("things"), /collection of this name exists/],
      [create, defined("THINGS"), /collection of this name exists/],
      [[...user, "Ann@example.com"], null, /user with this e-mail exists/],
      [[...user, "aNN@EXAMPLE.com"], null, /user with this e-mail exists/],
    ],
  };

  await using services = await openServices(loadConfig(settings), { log: silentLog });
  for (const [name, list] of Object.entries(cases)) {
    await t.step(name, async () => {
      for (const [index, [words, stdin, expected]] of list.entries()) {
        // Only one case runs in its own process, which is slow.
        const input = `${server.store.folder}/input`;
        const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
        await Deno.writeFile(input, bytes ?? new Uint8Array());
        const isHere = index > 0 && (stdin === null || words.includes("-"));
        const { code, stdout, stderr } = isHere
          ? await runInProcess(services, words.map((word) => word === "-" ? input : word))
          : await runAdmin(words, settings, stdin);
        const asked = `${words.join(" ")} ${stdin ?? ""}`.slice(0, 200);
        assert.equal(code, 1, `${asked} must exit with 1: ${stdout}${stderr}`);
        assert.equal(stdout, "", `${asked} must print nothing on standard output`);
        assert.match(stderr, expected, asked);
        assert.doesNotMatch(stderr, /^\s+at /m, `${asked} must not print a stack trace`);
        assert.doesNotMatch(stderr, /\[object/, asked);
      }
    });
  }

  await t.step(
    "an update that stored documents violate is refused with the first ten of them",
    async () => {
      const documents = Array.from({ length: 12 }, (_, i) => ({ text: `not a number ${i}` }));
      const { body } = await send(server, {
        path: "/api/data/things/bulk",
        key: project.secretKey,
        body: { documents },
      });
      const changed = { ...THINGS, fields: [{ key: "text", type: "Number" }] };
      const { code, stderr } = await runAdmin(update, settings, JSON.stringify(changed));
      assert.equal(code, 1);
      const named = body.data.ids.filter((id: string) => stderr.includes(id));
      assert.equal(named.length, 10, stderr);
    },
  );

  await t.step("no refused command stored anything", async () => {
    const { projects } = await admin(["project", "list"], settings);
    assert.equal(projects.length, 1);
    const { collections } = await admin(wordsOf("collection", "list"), settings);
    assert.equal(collections.length, 1);
    const types = collections[0].fields.map((one: { type: string }) => one.type);
    assert.deepEqual(types, ["Number", "String", "String"]);
    for (const key of [project.publishableKey, project.secretKey]) {
      assert.equal((await send(server, { path: "/api/data/things", key })).status, 200);
    }
  });
});

Deno.test("a command works on a store that no server has open", async () => {
  await using store = await createTestStore();
  const { projectId } = await createProject(store.settings);
  const { projects } = await admin(["project", "list"], store.settings);
  assert.deepEqual(projects.map((one: { projectId: string }) => one.projectId), [projectId]);
});

Deno.test("commands refuse an unused store, except those that create first data, and make no folder", async () => {
  await using store = await createTestStore();
  const create = ["project", "create", "--name", "Shop"];
  for (const words of [create, ["project", "list"], ["account", "list"], ["secrets", "reseal"]]) {
    const { code, stdout, stderr } = await runAdmin(words, store.settings);
    assert.deepEqual([code, stdout], [1, ""], words.join(" "));
    assert.match(stderr, /which no server has used so far[^]*--new/);
    // On MongoDB the databases exist by then and are empty.
    if (database !== "sqlite") continue;
    assert.ok(stderr.includes(`the data folder "${store.folder}"`));
    assert.ok(await store.isUntouched(), words.join(" "));
  }
  const { code, stdout, stderr } = await runAdmin([...create, "--new"], store.settings);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^\{"projectId":"[0-9a-f]{24}","publishableKey":"[^"]+","secretKey":"[^"]+"\}\n$/,
  );
  assert.ok(stderr.includes(database === "sqlite" ? store.folder : "the databases of MongoDB"));
  assert.equal((await admin(["project", "list"], store.settings)).projects.length, 1);
  await admin(create, store.settings);
});

Deno.test("account create can create the first account of a store", async () => {
  await using store = await createTestStore();
  const words = ["account", "create", "--email", "ada@example.com"];
  await admin(words, store.settings, "seven wet stones 41\n");
  const create = ["project", "create", "--name", "Shop", "--owner", "ada@example.com"];
  await admin(create, store.settings);
});

Deno.test("a command with invalid settings reports all of them and stores nothing", async () => {
  await using store = await createTestStore();
  const { code, stdout, stderr } = await runAdmin(["project", "create", "--name", "x"], {
    ...store.settings,
    PUBLIC_URL: "nonsense",
    LOG_LEVEL: "loud",
  });
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /PUBLIC_URL[^]*LOG_LEVEL|LOG_LEVEL[^]*PUBLIC_URL/);
  assert.ok(await store.isUntouched());
});
