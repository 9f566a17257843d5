/**
 * A plugin of `deno lint` that finds words and sentence forms which Corbel's comments, names and
 * texts do not use.
 */

import { EMPTY_NAMES, LEANING, WORDS, WORDS_IN_NAMES } from "./words.ts";
import { EXCEPTIONS, UNCHECKED } from "./exceptions.ts";

const TITLE_CHARACTERS_MAX = 90;

const ROOT = new URL("../../../", import.meta.url).pathname;

/** Text outside of code spans and links. */
const proseOf = (comment: string): string =>
  comment.replaceAll(/`[^`]*`|\{@\w+ [^}]*\}|https?:\S+/g, "`code`");

const partsOf = (name: string): string[] =>
  name.split(/_|(?<=[a-z\d])(?=[A-Z])/).map((part) => part.toLowerCase());

type Report = (range: Deno.lint.Range, message: string) => void;

function checkText(text: string, range: Deno.lint.Range, report: Report): void {
  const prose = EXCEPTIONS.reduce((rest, one) => rest.replaceAll(one.text, ""), proseOf(text));
  for (const [pattern, instead] of WORDS) {
    const found = pattern.exec(prose);
    if (found !== null) report(range, `"${found[0]}" is on the list of words: write ${instead}`);
  }
}

function checkComment(comment: Deno.lint.BlockComment | Deno.lint.LineComment, report: Report) {
  const { type, range } = comment;
  const value = comment.value.replaceAll(/\n\s*\*? ?/g, " ");
  if (/^\s*(?:deno-|@ts-|\/|eslint)/.test(value)) return;
  checkText(value, range, report);
  if (type !== "Block" || !value.startsWith("*")) return;
  const text = value.slice(1).trim();
  if (/^[a-z]/.test(text)) report(range, "A doc comment begins with a capital letter");
  const leaning = LEANING.exec(text);
  if (leaning !== null) {
    report(
      range,
      `A doc comment is a sentence or a noun phrase: it cannot begin with "${leaning[0]}"`,
    );
  }
}

function checkName(name: string, range: Deno.lint.Range, report: Report): void {
  const word = partsOf(name).find((part) => WORDS_IN_NAMES.has(part));
  if (word !== undefined) {
    report(range, `The name "${name}" has "${word}", which is on the list of words`);
  }
}

/** Names of functions and types say what they are of; a local value may rely on its surroundings. */
function checkDeclaredName(id: Deno.lint.Identifier | null, report: Report): void {
  if (id !== null && EMPTY_NAMES.has(id.name)) {
    report(id.range, `The name "${id.name}" does not say of what`);
  }
}

const UNITS =
  /_(?:MS|BYTES|MAX|MIN|CHARACTERS|SECONDS|MINUTES|HOURS|DAYS|COUNT|MIB|PIXELS|PERCENT|SHARE|VERSION|PORT|STATUS)\b|\b(?:ms|milliseconds?|seconds?|minutes?|hours?|days?|bytes?|[KMG]i?B|characters?|digits?|bits?|pixels?|percent|factor|times|number|count|share|version|index|code)\b/i;

/** The declared names of a pattern. */
function namesIn(pattern: Deno.lint.Node | null): Deno.lint.Identifier[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) =>
        namesIn(one.type === "Property" ? one.value : one.argument)
      );
    case "ArrayPattern":
      return pattern.elements.flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

const plugin: Deno.lint.Plugin = {
  name: "corbel",
  rules: {
    wording: {
      create(context) {
        const path = context.filename.replace(ROOT, "");
        if (UNCHECKED.some((folder) => path.startsWith(folder))) return {};
        const report: Report = (range, message) => context.report({ range, message });
        const checkNames = (pattern: Deno.lint.Node | Deno.lint.Parameter | null): void => {
          for (const { name, range } of namesIn(pattern as Deno.lint.Node | null)) {
            checkName(name, range, report);
          }
        };
        const checkDeclaration = ({ id }: { readonly id: Deno.lint.Identifier | null }): void => {
          checkNames(id);
          checkDeclaredName(id, report);
        };
        const checkParameters = ({ params }: { readonly params: Deno.lint.Parameter[] }): void =>
          params.forEach((one) => checkNames(one));
        const checkTitle = (title: Deno.lint.Node | undefined): void => {
          if (title?.type !== "Literal" || typeof title.value !== "string") return;
          const excess = title.value.length - TITLE_CHARACTERS_MAX;
          if (excess > 0) report(title.range, `The title is ${excess} characters too long`);
        };
        return {
          Program() {
            for (const one of context.sourceCode.getAllComments()) checkComment(one, report);
          },
          Literal({ value, range }) {
            if (typeof value === "string" && value.includes(" ")) checkText(value, range, report);
          },
          TemplateElement({ cooked, range }) {
            if (cooked.includes(" ")) checkText(cooked, range, report);
          },
          JSXText({ value, range }) {
            checkText(value, range, report);
          },
          VariableDeclarator(declarator) {
            const { id, init } = declarator;
            checkNames(id);
            if (id.type !== "Identifier") return;
            if (init?.type === "ArrowFunctionExpression") checkDeclaredName(id, report);
            const isConstant = /^[A-Z\d_]+$/.test(id.name) && init?.type === "Literal";
            if (isConstant && typeof init.value === "number") {
              const declaration = declarator.parent.parent.type === "ExportNamedDeclaration"
                ? declarator.parent.parent
                : declarator.parent;
              const [comment] = context.sourceCode.getCommentsBefore(declaration).slice(-1);
              const isOfIt = comment !== undefined && context.sourceCode.text
                    .slice(comment.range[1], declaration.range[0]).trim() === "";
              if (
                isOfIt && comment.type === "Block" && !UNITS.test(`${id.name} ${comment.value}`)
              ) {
                report(
                  comment.range,
                  `The comment on the number ${id.name} does not name its unit`,
                );
              }
            }
          },
          FunctionDeclaration(declaration) {
            checkDeclaration(declaration);
            checkParameters(declaration);
          },
          ArrowFunctionExpression: checkParameters,
          FunctionExpression: checkParameters,
          ClassDeclaration: checkDeclaration,
          TSInterfaceDeclaration: checkDeclaration,
          TSTypeAliasDeclaration: checkDeclaration,
          TSPropertySignature: ({ key }) => checkNames(key),
          TSMethodSignature: ({ key }) => checkNames(key),
          PropertyDefinition: ({ key }) => checkNames(key as Deno.lint.Node),
          MethodDefinition: ({ key }) => checkNames(key as Deno.lint.Node),
          CallExpression({ callee, arguments: [title] }) {
            const isTest = callee.type === "MemberExpression" &&
              callee.property.type === "Identifier" && /^(?:test|step)$/.test(callee.property.name);
            if (isTest) checkTitle(title);
          },
        };
      },
    },
  },
};

export default plugin;
