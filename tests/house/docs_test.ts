import assert from "node:assert/strict";
import { COMMANDS } from "@/routes/admin/commands.ts";
import { committedFiles, isTest, mustRead } from "./files.ts";

const KEPT = /: Definition = \{\s*name: "(\w+)"/g;

/** Names of all that Corbel keeps beside its projects' own collections. */
async function definedNames(): Promise<string[]> {
  const paths = (await committedFiles()).filter((path) =>
    /^lib\/.*\.ts$/.test(path) && !isTest(path)
  );
  const texts = await Promise.all(paths.map(mustRead));
  return texts.flatMap((text) => [...text.matchAll(KEPT)].map(([, name]) => name!));
}

Deno.test("docs/scaling.md has a shard key for each of Corbel's collections, and for no other", async () => {
  const document = await mustRead("docs/scaling.md");
  const section = document.split("### Collections that are too large for one shard")[1]!;
  const named = [...section.matchAll(/^\| (`[^|]*) \|/gm)]
    .flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const defined = await definedNames();
  assert.ok(defined.length >= 28);
  assert.deepEqual(named.toSorted(), defined.toSorted());
});

Deno.test("docs/mongodb.md names what the control database holds, and nothing else", async () => {
  const document = await mustRead("docs/mongodb.md");
  const item = /- \*\*`corbel_control`\*\* ([^]*?)\n- /.exec(document)![1]!;
  const named = [...item.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  const kept = (await definedNames()).filter((name) => !name.startsWith("_"));
  assert.deepEqual(named.toSorted(), kept.toSorted());
});

Deno.test("the rights that MongoDB is asked for are the same wherever they are named", async () => {
  const actionsIn = (text: string) =>
    [.../actions: \[([^\]]*)\]/.exec(text)![1]!.matchAll(/"(\w+)"/g)].map(([, name]) => name!);
  const actions = actionsIn(await mustRead("docs/mongodb.md"));
  assert.deepEqual(actionsIn(await mustRead("compose.yaml")), actions);
  const mentions = [...(await mustRead("README.md")).matchAll(/the (\S+) rights\b/g)];
  assert.ok(mentions.length > 0);
  for (const [mention, number] of mentions) assert.equal(Number(number), actions.length, mention);
});

Deno.test("the README lists the commands of the administration, each once", async () => {
  const readme = await mustRead("README.md");
  const section = readme.split("### Administration")[1]!;
  const listed = section.split("```")[1]!.trim().split("\n");
  const commands = [...COMMANDS].map(([name, { usage }]) =>
    `deno task admin ${name} ${usage}`.trim()
  );
  assert.deepEqual(listed.toSorted(), commands.toSorted());
});
