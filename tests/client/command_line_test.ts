import assert from "node:assert/strict";
import { commandTable, type OperationsDocument } from "@/client/commands/table.ts";
import { parseArgs } from "@/client/src/cli/arguments.ts";
import { callFor } from "@/client/src/cli/call.ts";
import { UsageError } from "@/client/src/cli/command.ts";
import { helpText } from "@/client/src/cli/help.ts";
import { UPLOAD } from "@/client/src/cli/upload.ts";
import { Inputs } from "@/client/src/cli/inputs.ts";
import published from "@/openapi/openapi.json" with { type: "json" };

const OPERATIONS = commandTable(published as unknown as OperationsDocument);
const TABLE = { ...OPERATIONS, commands: [...OPERATIONS.commands, UPLOAD] };

/** Returns the request that the words would send. */
async function requestOf(...words: string[]) {
  const parsed = parseArgs(words, TABLE);
  assert.ok(parsed.kind === "run");
  const { given, globals, command } = parsed;
  const call = await callFor(command, { given, globals, inputs: new Inputs() });
  const query = call.query!.toString();
  return { ...call, path: query === "" ? call.path : `${call.path}?${query}`, query: undefined };
}

const assertRefused = (says: RegExp, ...words: string[]) =>
  assert.rejects(async () => await requestOf(...words), (error) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, says);
    return true;
  });

Deno.test("options become the parameters that they name: path, query, header and body", async () => {
  const documents = ["--project", "p 1", "--collection=posts"];
  const list = await requestOf(
    "documents",
    "list",
    ...documents,
    "--sort",
    "-views",
    "--no-meta",
    "--count",
  );
  assert.equal(
    list.path,
    "/api/projects/p%201/collections/posts/documents?sort=-views&count=true&meta=false",
  );
  const update = ["documents", "update", ...documents, "--id", "d", "--if-match", '"x"'];
  assert.deepEqual(await requestOf(...update, "--data", '{"n":1}'), {
    method: "PATCH",
    path: "/api/projects/p%201/collections/posts/documents/d",
    query: undefined,
    headers: { "if-match": '"x"' },
    body: { n: 1 },
  });
});

Deno.test("filters are given one by one or as JSON", async () => {
  const list = ["documents", "list", "--project", "p", "--collection", "c"];
  const both = await requestOf(...list, "--filter", "views_gt=5", "--filter=note=a=b");
  assert.match(decodeURIComponent(both.path), /\?filter\[views_gt\]=5&filter\[note\]=a=b$/);
  const json = await requestOf(...list, "--filter", '{"views_gt":5}');
  assert.match(decodeURIComponent(json.path), /\?filter=\{"views_gt":5\}$/);
  await assertRefused(/NAME=VALUE/, ...list, "--filter", "views");
});

Deno.test("members of a body have their own types and replace those in --data", async () => {
  const user = ["users", "create", "--project", "p"];
  const { body } = await requestOf(
    ...user,
    "--data",
    '{"name":"Ann","username":"ann"}',
    ...["--email", "a@b.example", "--no-name", "--roles", "one", "--roles=two"],
    ...["--no-disabled", "--email-verified", "--claims", '{"n":1}'],
  );
  assert.deepEqual(body, {
    name: null,
    username: "ann",
    email: "a@b.example",
    roles: ["one", "two"],
    disabled: false,
    emailVerified: true,
    claims: { n: 1 },
  });
  const file = ["files", "confirm-upload", "--project", "p", "--path", "x"];
  assert.deepEqual((await requestOf(...file, "--size", "12")).body, { filePath: "x", size: 12 });
  await assertRefused(/--size must be a number/, ...file, "--size", "12k");
  await assertRefused(
    /--size has the integer 9007199254740993, which/,
    ...file,
    "--size",
    "9007199254740993",
  );
  await assertRefused(
    /--claims has the integer 1254071346418286654, .* send it as a String/,
    ...user,
    "--claims",
    '{"n":1254071346418286654}',
  );
  await assertRefused(
    /--claims is not valid JSON \(line 1, column 2: a name in double quotes/,
    ...user,
    "--claims",
    "{n:1}",
  );
  await assertRefused(/--data is not valid JSON/, ...user, "--data", "{");
  await assertRefused(/must be an object/, ...user, "--data", "[]", "--name", "x");
});

Deno.test("a body, a long text and secrets are read from files", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const write = async (name: string, text: string) => {
      await Deno.writeTextFile(`${folder}/${name}`, text);
      return `@${folder}/${name}`;
    };
    const data = await write("collection.json", '{"name":"posts"}');
    const created = await requestOf("collections", "create", "--project", "p", "--data", data);
    assert.deepEqual(created.body, { name: "posts" });
    const html = await write("mail.html", "<p>Hello</p>\n");
    const template = ["templates", "set", "--project", "p", "--name", "n", "--language", "en"];
    const set = await requestOf(...template, "--subject", "S", "--html", html, "--text", "T");
    assert.deepEqual(set.body, { subject: "S", html: "<p>Hello</p>\n", text: "T" });
    const user = ["users", "create", "--project", "p", "--password"];
    const password = await write("password", "seven wet stones\n");
    assert.deepEqual((await requestOf(...user, password)).body, { password: "seven wet stones" });
    await assertRefused(/other processes see arguments/, ...user, "seven wet stones");
    await assertRefused(/cannot be read/, ...user, "@/nowhere/at/all");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file that is not UTF-8 is refused by name, for any option", async () => {
  const folder = await Deno.makeTempDir();
  const bytes = (text: string) => Uint8Array.from([...text].map((one) => one.charCodeAt(0)));
  const rows = ["documents", "import", "--project", "p", "--collection", "posts", "--text"];
  const uses = [
    rows,
    ["collections", "create", "--project", "p", "--data"],
    ["users", "create", "--project", "p", "--password"],
    ["users", "create", "--project", "p", "--claims"],
  ];
  try {
    const path = `${folder}/rows.csv`;
    for (const words of uses) {
      await Deno.writeFile(path, bytes("name\nM\u00fcller\n"));
      await assertRefused(
        /rows\.csv" is not UTF-8, but perhaps Windows-1252 \(line 2\)/,
        ...words,
        `@${path}`,
      );
      await Deno.writeFile(path, bytes("\xff\xfe{\0}\0"));
      await assertRefused(/rows\.csv" is UTF-16, not UTF-8: save/, ...words, `@${path}`);
      await assert.rejects(new Inputs().file(path), UsageError);
    }
    await Deno.writeTextFile(path, '\ufeff{"name":"posts"}');
    assert.deepEqual((await requestOf(...uses[1]!, `@${path}`)).body, { name: "posts" });
    await Deno.writeTextFile(path, "\ufeffname\nM\u00fcller\n");
    assert.deepEqual((await requestOf(...rows, `@${path}`)).body, { text: "name\nM\u00fcller\n" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a wrong command names the correct one, and nothing is sent", async () => {
  await assertRefused(/no commands "project": is it "projects"\?/, "project", "list");
  await assertRefused(/no command "projects lst": is it "projects list"\?/, "projects", "lst");
  await assertRefused(/no option --limt: is it --limit\?/, "projects", "list", "--limt", "5");
  await assertRefused(/no option --data/, "projects", "list", "--data", "{}");
  await assertRefused(/no option --all/, "account", "show", "--all");
  await assertRefused(/no option --no-limit/, "projects", "list", "--no-limit");
  await assertRefused(/--limit needs a value/, "projects", "list", "--limit");
  await assertRefused(/--limit is given twice/, "projects", "list", "--limit", "1", "--limit", "2");
  await assertRefused(/needs --project, --collection/, "documents", "list");
  await assertRefused(/needs --name/, "projects", "create");
  await assertRefused(/needs a body/, "projects", "update", "--project", "p");
  await assertRefused(/--count is true or false/, ...LIST, "--count=maybe");
  await assertRefused(/not given as an argument/, "projects", "list", "--token", "corbel_pat_x");
  await assertRefused(/must follow its command/, "--limit", "5", "projects", "list");
  await assertRefused(/Say what to do/);
  for (const id of ["", ".", ".."]) {
    await assertRefused(/--project must/, "projects", "show", "--project", id);
  }
});

const LIST = ["documents", "list", "--project", "p", "--collection", "c"];

Deno.test("the help of every command has its options, their meanings and an example", () => {
  for (const { group, verb, options, summary } of TABLE.commands) {
    const text = helpText([group, verb], TABLE);
    assert.ok(text.startsWith(`corbel ${group} ${verb}: ${summary}.`), text);
    for (const { option, required, in: place } of options) {
      assert.match(text, new RegExp(`^  --(?:\\[no-\\])?${option}\\b`, "m"));
      if (required && place === "path") {
        assert.match(text, new RegExp(`^Usage: .*--${option} `, "m"));
      }
    }
    assert.match(text, new RegExp(`^Example:\\n  corbel ${group} ${verb}`, "m"));
    assert.ok(text.split("\n").every((line) => line.length <= 96 || !line.includes("  --")), text);
    assert.ok(helpText([group], TABLE).includes(`${group} ${verb}`));
  }
  for (const group of Object.keys(TABLE.groups)) assert.ok(helpText([], TABLE).includes(group));
});

Deno.test("--help works at any place, and for a group without a command", () => {
  for (const words of [["--help"], ["-h"], ["projects", "--help"], ["projects"]]) {
    assert.equal(parseArgs(words, TABLE).kind, "help");
  }
  const asked = parseArgs(["documents", "list", "--project", "p", "-h"], TABLE);
  assert.deepEqual(asked, { kind: "help", topic: ["documents", "list"] });
});

Deno.test("every example of the help is a valid call", async () => {
  for (const { example, method, path } of TABLE.commands) {
    if (example.includes("@FILE")) continue;
    const [, before, data] = /^corbel (.*?)(?: --data '(.*)')?$/.exec(example)!;
    const words = [...before!.split(" "), ...data === undefined ? [] : ["--data", data]];
    const call = await requestOf(...words);
    assert.equal(call.method, method);
    assert.ok(!call.path.includes("{"), `${path}: ${call.path}`);
  }
});
