/** The dashboard's pages in a browser without scripts. */

import assert from "node:assert/strict";
import { parseHTML } from "linkedom";
import type { TestAccount } from "./dashboard.ts";
import type { Answer } from "./conforming_client.ts";
import type { TestApp } from "./test_app.ts";

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
  /** Target of the redirect; null if the response is a page. */
  readonly location: string | null;
  readonly document: PageElement;
  /** The visible text, with single spaces. */
  readonly words: string;
}

/** A browser without scripts, signed in if an account is given. */
export interface Dashboard {
  get(path: string): Promise<PageAnswer>;
  /** Sends the fields of a form. A list sends its field repeatedly. */
  submit(path: string, fields?: Fields): Promise<PageAnswer>;
  /** Submits the form with this button, with the current values of its other fields. */
  fill(page: PageAnswer, button: string, fields?: Fields): Promise<PageAnswer>;
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
      const sent = { ...submittedFields(form), ...fields };
      const name = pressed.getAttribute("name");
      if (name !== null) sent[name] = pressed.getAttribute("value") ?? "";
      const action = pressed.getAttribute("formaction") ?? form.getAttribute("action")!;
      if ((form.getAttribute("method") ?? "get").toLowerCase() === "post") {
        return await submit(action, sent);
      }
      return await send("GET", `${action}?${formText(sent)}`);
    },
    async follow(answer) {
      let reached = answer;
      for (let hops = 0; reached.location !== null; hops++) {
        assert.ok(hops < 5, `too many redirects: ${reached.location}`);
        assert.match(reached.location, /^\/dashboard/, "redirects are relative");
        reached = await send("GET", reached.location);
      }
      return reached;
    },
  };
}

export function pageOf(answer: Answer): PageAnswer {
  const location = answer.headers.get("location");
  const parsed: unknown = parseHTML(answer.text || "<!DOCTYPE html><html></html>");
  const { document } = parsed as { document: PageElement };
  const bodyText = document.querySelector("body")?.textContent ?? "";
  return { ...answer, location, document, words: bodyText.replaceAll(/\s+/g, " ").trim() };
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

/** Returns the fields that a browser submits from an unchanged form. */
function submittedFields(form: PageElement): Record<string, string | string[]> {
  const entered: Record<string, string[]> = {};
  const add = (name: string | null, value: string) => {
    if (name) (entered[name] ??= []).push(value);
  };
  for (const field of form.querySelectorAll("input, select, textarea")) {
    if (field.hasAttribute("disabled")) continue;
    const name = field.getAttribute("name");
    if (field.tagName === "TEXTAREA") add(name, textAreaValue(field));
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

/** Returns the value of a text area. linkedom keeps entities and the first line break. */
export const textAreaValue = ({ textContent }: PageElement): string =>
  textContent.replace(/^\r?\n/, "").replaceAll(
    /&(?:lt|gt|quot|#39|amp);/g,
    (entity) => ENTITIES[entity as keyof typeof ENTITIES],
  );

/** Texts that are harmful on a page that does not escape them. */
export const HOSTILE_TEXTS = [
  "<script>globalThis.hacked = 1</script>",
  `"><img src=x onerror="globalThis.hacked = 1">`,
  `' onmouseover='globalThis.hacked = 1`,
  "javascript:globalThis.hacked=1",
  "</textarea></title><svg onload=globalThis.hacked=1>",
] as const;

/** Fails if the page has an inline script, an event handler or a foreign address. */
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
