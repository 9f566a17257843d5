/** Writes the committed files that are generated from the code. `--check` only compares them. */
import { SETTINGS } from "@/lib/runtime/settings.ts";
import { LIMITS } from "@/lib/limit_list.ts";
import * as limits from "@/lib/limits.ts";
import { buildDocument } from "./document.ts";
import { errorCatalogue } from "./error_catalogue.ts";

const SETTINGS_PAGE = new URL("../docs/self-hosting.md", import.meta.url);
const LIMITS_PAGE = new URL("../docs/limits.md", import.meta.url);
const ERRORS_PAGE = new URL("../docs/errors.md", import.meta.url);
const DOCUMENT = new URL("openapi.json", import.meta.url);

export async function generateFiles(): Promise<Map<URL, string>> {
  return new Map([
    [DOCUMENT, `${JSON.stringify(buildDocument(), null, 1)}\n`],
    [SETTINGS_PAGE, await withPart(SETTINGS_PAGE, "settings", settingsTable())],
    [LIMITS_PAGE, await withPart(LIMITS_PAGE, "limits", await limitsTable())],
    [ERRORS_PAGE, await withPart(ERRORS_PAGE, "errors", errorCatalogue())],
  ]);
}

async function withPart(page: URL, name: string, part: string): Promise<string> {
  const text = await Deno.readTextFile(page);
  const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page.pathname} has no place for its ${name}`);
  return `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`;
}

function settingsTable(): string {
  return markdownTable(
    ["Variable", "Default", "Meaning"],
    Object.entries(SETTINGS).map(([name, [missing, meaning]]) => [`\`${name}\``, missing, meaning]),
  );
}

async function limitsTable(): Promise<string> {
  const names: string[] = [];
  for (const file of ["request_limits.ts", "account_limits.ts"]) {
    const source = await Deno.readTextFile(new URL(`../lib/${file}`, import.meta.url));
    for (const [, name] of source.matchAll(/^export const (\w+) = [a-z]\w*\(/gm)) names.push(name!);
  }
  return markdownTable(
    ["Limit", "Value", "Meaning", "Source"],
    LIMITS.map(({ value, unit, source }, i) => {
      const name = names[i]!;
      if (limits[name as keyof typeof limits] !== value) throw new Error(`${name} is out of order`);
      return [`\`${name}\``, value.toLocaleString("en"), unit, source];
    }),
  );
}

/** Returns a Markdown table, padded as the formatter pads it. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

if (import.meta.main) {
  const check = Deno.args.includes("--check");
  for (const [url, text] of await generateFiles()) {
    if (await Deno.readTextFile(url).catch(() => "") === text) continue;
    const name = url.pathname.split("/").slice(-2).join("/");
    if (!check) await Deno.writeTextFile(url, text);
    else {
      console.error(`${name} is out of step with the code: run deno task openapi`);
      Deno.exitCode = 1;
    }
  }
}
