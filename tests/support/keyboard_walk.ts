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

/** The walk fails if no element of the page gets the focus for this long. */
const LOST_MS = 30_000;

/** Where the focus is, for the message of a walk that fails. */
const FOCUS = `({
  hasFocus: document.hasFocus(),
  at: document.activeElement.outerHTML.slice(0, 150),
})`;

/**
 * Fails unless Tab comes to every control of a page, and each shows that it has the focus.
 *
 * A sandboxed frame runs in a process of its own, and keys that go to it while it starts can be lost
 * on a busy machine. So keys that moved no focus do not count.
 */
export async function assertReached(page: Page, name: string): Promise<void> {
  await page.waitForLoadState();
  const controls = await page.evaluate<number>(NUMBER_CONTROLS);
  assert.ok(controls > 0, name);
  await page.evaluate(KEEP_STOPS);
  const missed = new Set(Array.from({ length: controls }, (_, at) => String(at)));
  let movedAt = performance.now();
  for (let pressed = 0; missed.size > 0 && pressed < controls * STOPS_PER_CONTROL;) {
    const presses = missed.size;
    for (let press = 0; press < presses; press++) await page.keyboard.press("Tab");
    const stops = await page.evaluate<Stop[]>("stops.splice(0)");
    if (stops.length > 0) {
      movedAt = performance.now();
      pressed += presses;
    } else if (performance.now() - movedAt > LOST_MS) break;
    for (const { control, shows, html } of stops) {
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
  if (texts.length === 0) return;
  const focus = JSON.stringify(await page.evaluate(FOCUS));
  const frames = page.frames().slice(1).map((frame) => frame.url());
  assert.deepEqual(
    await Promise.all(texts),
    [],
    `${name}: Tab never comes to these. The focus: ${focus}, frames: [${frames}]`,
  );
}
