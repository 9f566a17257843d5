/** All words of the dashboard are in its catalogue, which every language has whole. */

import assert from "node:assert/strict";
import { de } from "@/routes/dashboard/texts/de/mod.ts";
import { en } from "@/routes/dashboard/texts/en/mod.ts";
import { filesBelow, mustRead } from "./files.ts";

const CATALOGUE = "routes/dashboard/texts/";

/** Attributes that people read or hear. */
const READ = /^(?:aria-label|alt|button|caption|hint|label|loss|placeholder|title|what)$/;

const WORD = /\p{L}{2}/u;
/** A capital and more words behind it, or one that ends as sentences do. */
const SENTENCE = /^\p{Lu}[\p{Ll}'’]+(?: \S+|[.:?!]$)/u;

/** Names, addresses and samples, which are the same in every language. */
const SAME: readonly string[] = ["Corbel", "JSON", "CSV", "GET", "HTML"];

const isText = (text: string): boolean => WORD.test(text) && !SAME.includes(text.trim());

/** Whether it is to be read as it stands: in code, or in letters of one width. */
function isCode({ parent: above }: { parent: Deno.lint.Node | null }): boolean {
  if (above === null) return false;
  if (above.type === "JSXElement") {
    const { name, attributes } = above.openingElement;
    if (name.type === "JSXIdentifier" && /^(?:code|kbd|pre)$/.test(name.name)) return true;
    const classes = attributes.flatMap((one) =>
      one.type === "JSXAttribute" && one.name.name === "class" && one.value?.type === "Literal"
        ? String(one.value.value).split(" ")
        : []
    );
    if (classes.includes("mono")) return true;
  }
  return "parent" in above && isCode(above as { parent: Deno.lint.Node | null });
}

/** Whether it is the note that somebody else has changed something: it names that by its key. */
const isConflict = ({ name }: Deno.lint.JSXOpeningElement): boolean =>
  name.type === "JSXIdentifier" && name.name === "Conflict";

const plugin: Deno.lint.Plugin = {
  name: "dashboard",
  rules: {
    texts: {
      create(context) {
        const report = (node: Deno.lint.Node, text: string) =>
          context.report({ node, message: text.trim() });
        return {
          JSXText(node) {
            if (isText(node.value) && !isCode(node)) report(node, node.value);
          },
          JSXAttribute(node) {
            const { name, value } = node;
            if (name.type !== "JSXIdentifier" || !READ.test(name.name)) return;
            if (name.name === "what" && isConflict(node.parent)) return;
            if (value?.type !== "Literal" || typeof value.value !== "string") return;
            if (isText(value.value)) report(node, value.value);
          },
          Literal(node) {
            const { value, parent } = node;
            if (typeof value !== "string" || !SENTENCE.test(value)) return;
            if (parent.type !== "JSXAttribute") report(node, value);
          },
          TemplateElement(node) {
            if (SENTENCE.test(node.cooked)) report(node, node.cooked);
          },
        };
      },
    },
  },
};

Deno.test("the pages of the dashboard take their words from the catalogue", async () => {
  const found: string[] = [];
  for (const path of await filesBelow("routes/dashboard")) {
    if (path.startsWith(CATALOGUE) || !/(?<!_test)\.tsx?$/.test(path)) continue;
    for (const { message } of Deno.lint.runPlugin(plugin, path, await mustRead(path))) {
      found.push(`${path}: ${message}`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("no language of the dashboard repeats English, but for words that it shares", () => {
  const shared = new Set(SHARED);
  const found = [...pairs(en, de)].filter(([, here, there]) => here === there && !shared.has(here));
  assert.deepEqual(found.map(([path, text]) => `${path}: ${text}`), []);
});

/** The same in German. */
const SHARED: readonly string[] = [
  "+ Filter",
  "API",
  "Blog <blog@example.com>",
  "Bucket",
  "Claims",
  "Client",
  "Code",
  "Deployment",
  "Details",
  "HTML",
  "Host",
  "ID",
  "Name",
  "Name (optional)",
  "Operation",
  "Port",
  "Problem",
  "Query",
  "Region",
  "Server",
  "Site URL",
  "Site URL (optional)",
  "Status",
  "Text",
  "Webhooks",
  "ok",
];

/** Paths of texts that depend on nothing, each in both languages. */
function* pairs(one: object, other: object, path = ""): Generator<[string, string, string]> {
  for (const [name, value] of Object.entries(one)) {
    const there = (other as Record<string, unknown>)[name];
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string" && typeof there === "string") yield [at, value, there];
    else if (typeof value === "object" && typeof there === "object") {
      yield* pairs(value, there!, at);
    }
  }
}
