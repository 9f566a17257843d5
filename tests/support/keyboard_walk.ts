/** Pages by the keyboard alone. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Numbers what can be used on a page; of several radio buttons, which arrows choose from, one. */
const NUMBER_CONTROLS = `(() => {
  const groups = new Set();
  const controls = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary",
  )].filter((one) => {
    if (one.disabled || one.type === "hidden" || !one.checkVisibility()) return false;
    if (one.type !== "radio") return true;
    if (groups.has(one.name) || !one.checked) return false;
    return groups.add(one.name);
  });
  controls.forEach((one, at) => one.dataset.control = String(at));
  return controls.length;
})()`;

/** Keeps what gets the focus, and whether it looks as if it had. */
const KEEP_STOPS = `(() => {
  globalThis.stops = [];
  document.addEventListener("focusin", ({ target }) => {
    const { outlineStyle, outlineColor } = getComputedStyle(target);
    stops.push({
      control: target.dataset.control ?? null,
      shows: outlineStyle !== "none" && outlineColor.startsWith("rgb("),
      html: target.outerHTML.slice(0, 150),
    });
  });
})()`;

interface Stop {
  readonly control: string | null;
  readonly shows: boolean;
  readonly html: string;
}

/** Fields of dates are several to the keyboard. */
const STOPS_PER_CONTROL = 8;

/** Fails unless Tab comes to every control of a page, and each shows that it has the focus. */
export async function assertReached(page: Page, name: string): Promise<void> {
  const controls = await page.evaluate<number>(NUMBER_CONTROLS);
  assert.ok(controls > 0, name);
  await page.evaluate(KEEP_STOPS);
  const missed = new Set(Array.from({ length: controls }, (_, at) => String(at)));
  for (let pressed = 0; missed.size > 0 && pressed < controls * STOPS_PER_CONTROL;) {
    for (const more = pressed + missed.size; pressed < more; pressed++) {
      await page.keyboard.press("Tab");
    }
    for (const { control, shows, html } of await page.evaluate<Stop[]>("stops.splice(0)")) {
      if (control === null) continue;
      assert.ok(shows, `${name}: nobody sees that this has the focus: ${html}`);
      missed.delete(control);
    }
  }
  const texts = [...missed].map((one) =>
    page.locator(`[data-control="${one}"]`).evaluate((one) =>
      (one as unknown as { outerHTML: string }).outerHTML
    )
  );
  assert.deepEqual(await Promise.all(texts), [], `${name}: Tab never comes to these`);
}
