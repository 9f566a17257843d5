/**
 * Runs the examples of a guide like a reader does. Placeholders are replaced by printed keys, ids,
 * tokens and mailed codes. A comment after a command is the expected output.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Server } from "./server.ts";
import { until } from "./until.ts";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const ORIGIN = "http://localhost:8000";

type Language = "sh" | "js";

/** Packages that readers install from a registry. The tests have them already. */
const PACKAGE = /from "(@[^"]+)"/g;
const { imports } = JSON.parse(await Deno.readTextFile(`${CHECKOUT}deno.json`));

export interface Example {
  readonly language: Language;
  readonly text: string;
}

export const pageText = (page: string): Promise<string> => Deno.readTextFile(`${CHECKOUT}${page}`);

/** Returns the examples, except those under `<!-- not run: … -->`, which contains the reason. */
export function examplesOf(page: string): Example[] {
  const all: Example[] = [];
  const blocks = page.matchAll(/(<!-- not run: [^>]+ -->\s*)?^```(sh|js)\n([^]*?)^```/gm);
  for (const [, isLeftOut, language, text] of blocks) {
    if (isLeftOut !== undefined) continue;
    const before = all.at(-1);
    if (language === "js" && before?.language === "js") {
      all.splice(-1, 1, { ...before, text: before.text + text });
    } else if (language === "js") all.push({ language, text: text! });
    // What is behind an answer may rest on it.
    else {for (const part of text!.split(/(?<=^# \{.*\n)/m)) {
        all.push({ language: "sh", text: part });
      }}
  }
  return all;
}

/** Placeholders to replace, by the field of a response that has the value. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  projectId: ["PROJECT_ID"],
  publishableKey: ["pk_live_…"],
  secretKey: ["sk_live_…"],
  userId: ["USER_ID"],
  accessToken: ["TOKEN"],
  token: ["INVITATION_TOKEN", "corbel_pat_…"],
};

/** Flags for the served command line, which readers install. */
const CORBEL_FLAGS =
  "--no-config --no-prompt --quiet --allow-net --allow-env=CORBEL_URL,CORBEL_TOKEN " +
  "--allow-read --allow-write";

/** Matches the log line of `dev` about a kept mail. */
const KEPT_CODE = /"subject":"(\d{6}) /g;
export class Reader {
  readonly #origin: string;
  #codes = 0;
  readonly #known: Map<string, string>;
  /** Lines that set variables for later examples. */
  readonly #exports: string[] = [];
  readonly #server: Server;
  readonly #folder: string;

  constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.#origin = `http://localhost:${server.port}`;
    this.#known = new Map([[ORIGIN, this.#origin]]);
  }

  async follow({ language, text }: Example): Promise<void> {
    if (/\bCODE\b/.test(text)) this.#known.set("CODE", await this.#nextCode());
    const script = this.filledIn(text);
    const printed = await (language === "js" ? this.#javascript(script) : this.#shell(script));
    this.#exports.push(...script.split("\n").filter((line) => line.startsWith("export ")));
    for (const line of printed.split("\n")) this.#learn(line);
    let rest = printed;
    for (const expected of expectedBy(language, text.replaceAll(ORIGIN, this.#origin))) {
      const found = expected.exec(rest);
      assert.ok(found, `${script}\nprinted\n${rest}\nwhere it promises ${expected}`);
      rest = rest.slice(found.index + found[0].length);
    }
  }

  filledIn(text: string): string {
    let filled = text;
    for (const [name, value] of this.#known) {
      filled = filled.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, "g"), value);
    }
    return filled;
  }

  /** Returns the code of a mail that was sent after the last code was entered. */
  async #nextCode(): Promise<string> {
    const sent = () => [...this.#server.stdout().matchAll(KEPT_CODE)].map(([, code]) => code!);
    await until("a mail with a code", () => sent().length > this.#codes);
    this.#codes = sent().length;
    return sent().at(-1)!;
  }

  #learn(line: string): void {
    if (!line.startsWith("{")) return;
    const answer = JSON.parse(line);
    for (const [name, value] of Object.entries(answer.data ?? answer)) {
      for (const place of FILLED_IN[name] ?? []) this.#known.set(place, String(value));
    }
  }

  #shell(script: string): Promise<string> {
    const deno = Deno.execPath();
    return this.#run("bash", [
      "-euo",
      "pipefail",
      "-c",
      [
        `deno() { (cd '${CHECKOUT}' && '${deno}' "$@"); }`,
        `corbel() { '${deno}' run ${CORBEL_FLAGS} --reload=${this.#origin} ${this.#origin}/cli.js "$@"; }`,
        `curl() { command curl --fail-with-body --silent --show-error "$@" && echo; }`,
        ...this.#exports,
        script,
      ].join("\n"),
    ]);
  }

  async #javascript(script: string): Promise<string> {
    const file = `${this.#folder}/example.js`;
    await Deno.writeTextFile(
      file,
      script.replaceAll(PACKAGE, (_, name) => `from "${imports[name]}"`),
    );
    return await this.#run(Deno.execPath(), [
      "run",
      "--no-config",
      `--allow-import=localhost:${this.#server.port}`,
      // Another server may have used the address. A trailing slash would not reload anything.
      `--reload=${this.#origin}`,
      "--allow-net",
      file,
    ]);
  }

  async #run(program: string, args: string[]): Promise<string> {
    const { PATH, HOME, DENO_DIR } = Deno.env.toObject();
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: this.#folder,
      clearEnv: true,
      env: {
        ...Object.fromEntries(Object.entries({ PATH, HOME, DENO_DIR }).filter(([, one]) => one)),
        NO_COLOR: "1",
        ...this.#server.settings,
      },
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.ok(success, `${args.at(-1)}\n${out}${err}`);
    return out!;
  }
}

/** Returns patterns for the output: comments like responses in shell, or after `console.log`. */
function expectedBy(language: Language, script: string): RegExp[] {
  const lines = language === "sh" ? /^# (\{.*)$/gm : /console\.log\(.*\); \/\/ (.*)$/gm;
  return [...script.matchAll(lines)].map(([, text]) =>
    new RegExp(text!.split("…").map((part) => RegExp.escape(part)).join(".*"))
  );
}
