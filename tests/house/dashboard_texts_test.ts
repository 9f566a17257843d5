/** Checks that all texts of the dashboard are in its catalogue, in every language. */

import assert from "node:assert/strict";
import { de } from "@/routes/dashboard/texts/de/mod.ts";
import { en } from "@/routes/dashboard/texts/en/mod.ts";
import { filesBelow, mustRead } from "./files.ts";

const CATALOGUE = "routes/dashboard/texts/";

/** Attributes whose values are read by people. */
const READ = /^(?:aria-label|alt|button|caption|hint|label|loss|placeholder|title|what)$/;

const WORD = /\p{L}{2}/u;
/** Matches a capital followed by more words, or by the end of a sentence. */
const SENTENCE = /^\p{Lu}[\p{Ll}'’]+(?: \S+|[.:?!]$)/u;

/** Names, addresses and samples, which are not translated. */
const SAME: readonly string[] = ["Corbel", "JSON", "CSV", "GET", "HTML"];

const isText = (text: string): boolean => WORD.test(text) && !SAME.includes(text.trim());

/** Returns whether a text is code, which is not translated. */
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

/** Returns whether an element is the note about a conflict, which names records by key. */
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

Deno.test("the pages of the dashboard take their texts from the catalogue", async () => {
  const found: string[] = [];
  for (const path of await filesBelow("routes/dashboard")) {
    if (path.startsWith(CATALOGUE) || !/(?<!_test)\.tsx?$/.test(path)) continue;
    for (const { message } of Deno.lint.runPlugin(plugin, path, await mustRead(path))) {
      found.push(`${path}: ${message}`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("German texts differ from English, except for shared words", () => {
  const shared = new Set(SHARED);
  const found = [...pairs(en, de)].filter(([, here, there]) => here === there && !shared.has(here));
  assert.deepEqual(found.map(([path, text]) => `${path}: ${text}`), []);
});

/** Words that are the same in German and English. */
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

/** Yields the paths of constant texts with the text in each language. */
function* pairs(one: object, other: object, path = ""): Generator<[string, string, string]> {
  for (const [name, value] of Object.entries(one)) {
    const translated = (other as Record<string, unknown>)[name];
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string" && typeof translated === "string") yield [at, value, translated];
    else if (typeof value === "object" && typeof translated === "object") {
      yield* pairs(value, translated!, at);
    }
  }
}
