import assert from "node:assert/strict";
import { guides } from "@/openapi/introduction.ts";
import { usageLines } from "@/routes/admin/help.ts";
import { committedFiles, isTest, mustRead } from "./files.ts";

const KEPT = /(?:: Definition = \{|\brecordKind\(\{)\s*name: "(\w+)"/g;

/** Names with `_` are those of projects, except for these, which the control space has too. */
const IN_BOTH = ["_jobs", "_mails", "_codes", "_sendings", "_wrongCodes"];

/** Returns the names of all records that Corbel defines in addition to projects' collections. */
async function definedNames(): Promise<string[]> {
  const paths = (await committedFiles()).filter((path) =>
    /^lib\/.*\.ts$/.test(path) && !isTest(path)
  );
  const texts = await Promise.all(paths.map(mustRead));
  return texts.flatMap((text) => [...text.matchAll(KEPT)].map(([, name]) => name!));
}

Deno.test("docs/scaling.md has a shard key for exactly Corbel's collections", async () => {
  const document = await mustRead("docs/scaling.md");
  const section = document.split("### Collections that are too large for one shard")[1]!;
  const named = [...section.matchAll(/^\| (`[^|]*) \|/gm)]
    .flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const defined = await definedNames();
  assert.ok(defined.length >= 28);
  assert.deepEqual(named.toSorted(), defined.toSorted());
});

Deno.test("docs/mongodb.md names exactly the records of the control database", async () => {
  const document = await mustRead("docs/mongodb.md");
  const item = /- \*\*`corbel_control`\*\* ([^]*?)\n- /.exec(document)![1]!;
  const named = [...item.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  const kept = (await definedNames()).filter((name) =>
    !name.startsWith("_") || IN_BOTH.includes(name)
  );
  assert.deepEqual(named.toSorted(), kept.toSorted());
});

Deno.test("the rights on MongoDB are the same wherever they are listed", async () => {
  const actionsIn = (text: string) =>
    [.../actions: \[([^\]]*)\]/.exec(text)![1]!.matchAll(/"(\w+)"/g)].map(([, name]) => name!);
  const actions = actionsIn(await mustRead("docs/mongodb.md"));
  assert.deepEqual(actionsIn(await mustRead("compose.yaml")), actions);
  const mentions = [...(await mustRead("docs/self-hosting.md")).matchAll(/the (\S+) rights\b/g)];
  assert.ok(mentions.length > 0);
  for (const [mention, number] of mentions) assert.equal(Number(number), actions.length, mention);
});

Deno.test("every service of compose.yaml is hardened, and every image has an exact version", async () => {
  const compose = await mustRead("compose.yaml");
  const hardened = /x-hardened: &hardened\n((?: {2}.*\n)*)/.exec(compose)![1]!;
  const lines = hardened.trim().split("\n").map((line) => line.trim());
  assert.deepEqual(lines, [
    "read_only: true",
    "tmpfs: [/tmp]",
    "cap_drop: [ALL]",
    "security_opt: [no-new-privileges:true]",
  ]);
  const services = /\nservices:\n([^]*?)\n\w/.exec(compose)![1]!.split(/^ {2}(?=\w+:$)/m).slice(1);
  assert.ok(services.length >= 3);
  for (const service of services) assert.match(service, /^ {4}<<: \*hardened$/m);
  assert.match(await mustRead("Dockerfile"), /\nUSER [1-9]\d*\n/);
  const images = [
    ...`${compose}\n${await mustRead("Dockerfile")}`.matchAll(/(?:image:|FROM) (\S+)/g),
  ];
  assert.ok(images.length >= 4);
  for (const [, image] of images) assert.match(image!, /:v?\d+\.\d+(?:\.\d+)?\b|@sha256:/, image);
});

Deno.test("docs/self-hosting.md lists each command of the administration once", async () => {
  const page = await mustRead("docs/self-hosting.md");
  const section = page.split("## Administration")[1]!;
  const listed = section.split("```")[1]!.trim().split("\n");
  assert.deepEqual(listed.toSorted(), usageLines().toSorted());
});

/** Pages for developers of Corbel, which the reference does not serve. */
const NOT_SERVED = ["CONTRIBUTING", "architecture"];

Deno.test("the reference serves every page of docs, except those about Corbel's code", async () => {
  const pages = (await committedFiles()).flatMap((path) =>
    /^docs\/([\w-]+)\.md$/.exec(path)?.[1] ?? []
  );
  // Errors have a separate page.
  const served = [...guides().map(({ name }) => name), "errors", ...NOT_SERVED];
  assert.deepEqual(served.toSorted(), pages.toSorted());
  for (const { name, title } of guides()) {
    const heading = /^# (.*)$/m.exec(await mustRead(`docs/${name}.md`))![1]!;
    assert.ok(heading.startsWith(title), `docs/${name}.md is called "${heading}"`);
  }
});

const withoutCode = (page: string): string => page.replace(/^```[^]*?^```/gm, "");

/** Returns the anchors of the headings, as GitHub creates them. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );

Deno.test("every local link of a page leads to an existing file and heading", async () => {
  const files = await committedFiles();
  const pages = files.filter((path) => path.endsWith(".md"));
  let seen = 0;
  for (const page of pages) {
    for (const [, link] of withoutCode(await mustRead(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      const { protocol, pathname, hash } = new URL(link!, `file:///${page}`);
      if (protocol !== "file:") continue;
      seen++;
      const path = pathname.slice(1);
      assert.ok(files.some((file) => file === path || file.startsWith(`${path}/`)), link);
      if (hash === "") continue;
      assert.ok(anchorsOf(await mustRead(path)).has(hash.slice(1)), `${page}: ${link}`);
    }
  }
  assert.ok(seen > 40, `${seen} links`);
});

Deno.test("the README is short", async () => {
  const lines = (await mustRead("README.md")).trimEnd().split("\n");
  assert.ok(lines.length <= 200, `${lines.length} lines`);
});
