/** The dashboard's pages as a browser without scripts has them. */

import assert from "node:assert/strict";
import { parseHTML } from "linkedom";
import type { TestAccount } from "./dashboard.ts";
import type { Answer } from "./conforming_client.ts";
import type { TestApp } from "./test_app.ts";

/** Of the DOM, what tests look at. */
export interface PageElement {
  readonly tagName: string;
  readonly textContent: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

export interface PageAnswer extends Answer {
  /** Where the answer sends the browser; null if it is a page. */
  readonly location: string | null;
  readonly document: PageElement;
  /** What a person reads, with single spaces. */
  readonly words: string;
}

/** A browser without scripts, with the account's session if there is one. */
export interface Dashboard {
  get(path: string): Promise<PageAnswer>;
  /** Sends a form's fields; a list sends a field again and again. */
  submit(path: string, fields?: Fields): Promise<PageAnswer>;
  /**
   * Fills in the form whose button is called so, on this page, and sends it as a browser would:
   * with what its other fields hold.
   */
  fill(page: PageAnswer, button: string, fields?: Fields): Promise<PageAnswer>;
  /** A page, or where it leads after any number of redirects. */
  follow(answer: PageAnswer): Promise<PageAnswer>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

export function openDashboard(app: TestApp, account?: TestAccount): Dashboard {
  const headers: [string, string][] = account ? [["cookie", account.cookie]] : [];

  async function send(method: "GET" | "POST", path: string, body?: string): Promise<PageAnswer> {
    const answer = await app.send({
      method,
      path,
      headers: [...headers, ["content-type", body === undefined ? "none" : FORM]],
      ...(body !== undefined && { body }),
    });
    return pageOf(answer);
  }

  const submit = (path: string, fields: Fields = {}) => send("POST", path, formText(fields));

  return {
    get: (path) => send("GET", path),
    submit,
    async fill(page, button, fields = {}) {
      const found = [...page.document.querySelectorAll("form button")]
        .filter((one) => labelOf(one) === button);
      assert.equal(found.length, 1, `"${button}" is on ${found.length} buttons: ${page.words}`);
      const pressed = found[0]!;
      const form = pressed.closest("form")!;
      const sent = { ...enteredIn(form), ...fields };
      const name = pressed.getAttribute("name");
      if (name !== null) sent[name] = pressed.getAttribute("value") ?? "";
      const action = pressed.getAttribute("formaction") ?? form.getAttribute("action")!;
      if ((form.getAttribute("method") ?? "get").toLowerCase() === "post") {
        return await submit(action, sent);
      }
      return await send("GET", `${action}?${formText(sent)}`);
    },
    async follow(answer) {
      let at = answer;
      for (let hops = 0; at.location !== null; hops++) {
        assert.ok(hops < 5, `sent on and on: ${at.location}`);
        assert.match(at.location, /^\/dashboard/, "redirects are relative");
        at = await send("GET", at.location);
      }
      return at;
    },
  };
}

/** An answer as a person sees it. */
export function pageOf(answer: Answer): PageAnswer {
  const location = answer.headers.get("location");
  const parsed: unknown = parseHTML(answer.text || "<!DOCTYPE html><html></html>");
  const { document } = parsed as { document: PageElement };
  const shown = document.querySelector("body")?.textContent ?? "";
  return { ...answer, location, document, words: shown.replaceAll(/\s+/g, " ").trim() };
}

const FORM = "application/x-www-form-urlencoded";

const labelOf = (button: PageElement): string =>
  button.getAttribute("aria-label") ?? button.textContent.replaceAll(/\s+/g, " ").trim();

function formText(fields: Fields): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) search.append(name, value);
  }
  return search.toString();
}

/** What a browser would send of a form that nobody touched. */
function enteredIn(form: PageElement): Record<string, string | string[]> {
  const entered: Record<string, string[]> = {};
  const add = (name: string | null, value: string) => {
    if (name) (entered[name] ??= []).push(value);
  };
  for (const field of form.querySelectorAll("input, select, textarea")) {
    if (field.hasAttribute("disabled")) continue;
    const name = field.getAttribute("name");
    if (field.tagName === "TEXTAREA") add(name, areaText(field));
    else if (field.tagName === "SELECT") {
      const options = [...field.querySelectorAll("option")];
      const chosen = options.filter((one) => one.hasAttribute("selected"));
      for (const one of chosen.length > 0 ? chosen : options.slice(0, 1)) {
        add(name, one.getAttribute("value") ?? one.textContent);
      }
    } else {
      const type = field.getAttribute("type") ?? "text";
      const isChoice = type === "checkbox" || type === "radio";
      if (type === "file" || (isChoice && !field.hasAttribute("checked"))) continue;
      add(name, field.getAttribute("value") ?? (isChoice ? "on" : ""));
    }
  }
  return entered;
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" } as const;

/** What a text area holds: linkedom leaves it as it stands in the source, with the first line end. */
export const areaText = ({ textContent }: PageElement): string =>
  textContent.replace(/^\r?\n/, "").replaceAll(
    /&(?:lt|gt|quot|#39|amp);/g,
    (entity) => ENTITIES[entity as keyof typeof ENTITIES],
  );

/** Texts that would be more than texts on a page that does not escape them. */
export const HOSTILE = [
  "<script>globalThis.hacked = 1</script>",
  `"><img src=x onerror="globalThis.hacked = 1">`,
  `' onmouseover='globalThis.hacked = 1`,
  "javascript:globalThis.hacked=1",
  "</textarea></title><svg onload=globalThis.hacked=1>",
] as const;

/** Fails if a page has a script, a handler or an address that is not its own. */
export function assertHarmless({ document, text }: PageAnswer): void {
  for (const script of document.querySelectorAll("script")) {
    assert.match(script.getAttribute("src") ?? "inline", /^\/dashboard\/assets\//, text);
    assert.equal(script.textContent, "");
  }
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      assert.doesNotMatch(name, /^on|^style$|^hx-on/i, `${element.tagName} ${name}`);
      if (["href", "src", "action", "formaction"].includes(name)) {
        assert.match(
          value,
          /^(?:\/(?!\/)|#|\?|https?:\/\/)/,
          `${element.tagName} ${name}=${value}`,
        );
      }
    }
  }
  assert.doesNotMatch(text, /<(?:img|svg)[^>]*(?:onerror|onload)/i);
}
