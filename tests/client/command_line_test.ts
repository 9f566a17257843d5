import assert from "node:assert/strict";
import { commandTable, type OperationsDocument } from "@/client/commands/table.ts";
import { parse } from "@/client/src/cli/arguments.ts";
import { callOf } from "@/client/src/cli/call.ts";
import { UsageError } from "@/client/src/cli/command.ts";
import { helpText } from "@/client/src/cli/help.ts";
import { UPLOAD } from "@/client/src/cli/upload.ts";
import { Inputs } from "@/client/src/cli/inputs.ts";
import published from "@/openapi/openapi.json" with { type: "json" };

const OPERATIONS = commandTable(published as unknown as OperationsDocument);
const TABLE = { ...OPERATIONS, commands: [...OPERATIONS.commands, UPLOAD] };

/** What the words would send. */
async function sent(...words: string[]) {
  const parsed = parse(words, TABLE);
  assert.ok(parsed.kind === "run");
  const { given, globals, command } = parsed;
  const call = await callOf(command, { given, globals, inputs: new Inputs() });
  const query = call.query!.toString();
  return { ...call, path: query === "" ? call.path : `${call.path}?${query}`, query: undefined };
}

const refused = (says: RegExp, ...words: string[]) =>
  assert.rejects(async () => await sent(...words), (error) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, says);
    return true;
  });

Deno.test("options go where their parameters are: path, query, header and body", async () => {
  const documents = ["--project", "p 1", "--collection=posts"];
  const list = await sent(
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
  assert.deepEqual(await sent(...update, "--data", '{"n":1}'), {
    method: "PATCH",
    path: "/api/projects/p%201/collections/posts/documents/d",
    query: undefined,
    headers: { "if-match": '"x"' },
    body: { n: 1 },
  });
});

Deno.test("filters are written one by one, or as JSON", async () => {
  const list = ["documents", "list", "--project", "p", "--collection", "c"];
  const both = await sent(...list, "--filter", "views_gt=5", "--filter=note=a=b");
  assert.match(decodeURIComponent(both.path), /\?filter\[views_gt\]=5&filter\[note\]=a=b$/);
  const json = await sent(...list, "--filter", '{"views_gt":5}');
  assert.match(decodeURIComponent(json.path), /\?filter=\{"views_gt":5\}$/);
  await refused(/NAME=VALUE/, ...list, "--filter", "views");
});

Deno.test("members of a body have their own types, and take the place of those in --data", async () => {
  const user = ["users", "create", "--project", "p"];
  const { body } = await sent(
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
  assert.deepEqual((await sent(...file, "--size", "12")).body, { filePath: "x", size: 12 });
  await refused(/--size must be a number/, ...file, "--size", "12k");
  await refused(
    /--size has the integer 9007199254740993, which/,
    ...file,
    "--size",
    "9007199254740993",
  );
  await refused(
    /--claims has the integer 1254071346418286654, .* send it as a String/,
    ...user,
    "--claims",
    '{"n":1254071346418286654}',
  );
  await refused(
    /--claims is not valid JSON \(line 1, column 2: a name in double quotes/,
    ...user,
    "--claims",
    "{n:1}",
  );
  await refused(/--data is not valid JSON/, ...user, "--data", "{");
  await refused(/must be an object/, ...user, "--data", "[]", "--name", "x");
});

Deno.test("a body, a long text and what is confidential come from files", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const write = async (name: string, text: string) => {
      await Deno.writeTextFile(`${folder}/${name}`, text);
      return `@${folder}/${name}`;
    };
    const data = await write("collection.json", '{"name":"posts"}');
    const made = await sent("collections", "create", "--project", "p", "--data", data);
    assert.deepEqual(made.body, { name: "posts" });
    const html = await write("mail.html", "<p>Hello</p>\n");
    const template = ["templates", "set", "--project", "p", "--name", "n", "--language", "en"];
    const set = await sent(...template, "--subject", "S", "--html", html, "--text", "T");
    assert.deepEqual(set.body, { subject: "S", html: "<p>Hello</p>\n", text: "T" });
    const user = ["users", "create", "--project", "p", "--password"];
    const password = await write("password", "seven wet stones\n");
    assert.deepEqual((await sent(...user, password)).body, { password: "seven wet stones" });
    await refused(/other processes see arguments/, ...user, "seven wet stones");
    await refused(/cannot be read/, ...user, "@/nowhere/at/all");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file in another encoding than UTF-8 is refused by name, whichever option it is for", async () => {
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
      await refused(
        /rows\.csv" is not UTF-8, but perhaps Windows-1252 \(line 2\)/,
        ...words,
        `@${path}`,
      );
      await Deno.writeFile(path, bytes("\xff\xfe{\0}\0"));
      await refused(/rows\.csv" is UTF-16, not UTF-8: save/, ...words, `@${path}`);
      await assert.rejects(new Inputs().file(path), UsageError);
    }
    await Deno.writeTextFile(path, '\ufeff{"name":"posts"}');
    assert.deepEqual((await sent(...uses[1]!, `@${path}`)).body, { name: "posts" });
    await Deno.writeTextFile(path, "\ufeffname\nM\u00fcller\n");
    assert.deepEqual((await sent(...rows, `@${path}`)).body, { text: "name\nM\u00fcller\n" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("what is called wrongly is told with what was meant, and nothing is sent", async () => {
  await refused(/no commands "project": is it "projects"\?/, "project", "list");
  await refused(/no command "projects lst": is it "projects list"\?/, "projects", "lst");
  await refused(/no option --limt: is it --limit\?/, "projects", "list", "--limt", "5");
  await refused(/no option --data/, "projects", "list", "--data", "{}");
  await refused(/no option --all/, "account", "show", "--all");
  await refused(/no option --no-limit/, "projects", "list", "--no-limit");
  await refused(/--limit needs a value/, "projects", "list", "--limit");
  await refused(/--limit is given twice/, "projects", "list", "--limit", "1", "--limit", "2");
  await refused(/needs --project, --collection/, "documents", "list");
  await refused(/needs --name/, "projects", "create");
  await refused(/needs a body/, "projects", "update", "--project", "p");
  await refused(/--count is true or false/, ...LIST, "--count=maybe");
  await refused(/not given as an argument/, "projects", "list", "--token", "corbel_pat_x");
  await refused(/behind the command/, "--limit", "5", "projects", "list");
  await refused(/Say what to do/);
  for (const id of ["", ".", ".."]) {
    await refused(/--project must/, "projects", "show", "--project", id);
  }
});

const LIST = ["documents", "list", "--project", "p", "--collection", "c"];

Deno.test("every command explains itself: its options with what they mean, and an example", () => {
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

Deno.test("help is given wherever it is asked for, and to whoever names a group alone", () => {
  for (const words of [["--help"], ["-h"], ["projects", "--help"], ["projects"]]) {
    assert.equal(parse(words, TABLE).kind, "help");
  }
  const asked = parse(["documents", "list", "--project", "p", "-h"], TABLE);
  assert.deepEqual(asked, { kind: "help", about: ["documents", "list"] });
});

Deno.test("every example of the help is a call that could be sent", async () => {
  for (const { example, method, path } of TABLE.commands) {
    if (example.includes("@FILE")) continue;
    const [, before, data] = /^corbel (.*?)(?: --data '(.*)')?$/.exec(example)!;
    const words = [...before!.split(" "), ...data === undefined ? [] : ["--data", data]];
    const call = await sent(...words);
    assert.equal(call.method, method);
    assert.ok(!call.path.includes("{"), `${path}: ${call.path}`);
  }
});
