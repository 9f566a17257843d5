import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Numbers the controls of a page. Radio buttons of a group count once: arrows choose. */
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

/** Records each element that gets the focus, and whether the focus is visible. */
const RECORD_STOPS = `(() => {
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

interface FocusStop {
  readonly control: string | null;
  readonly shows: boolean;
  readonly html: string;
}

/** Maximum number of stops per control: a date field has several. */
const STOPS_PER_CONTROL = 8;

/** Milliseconds without a focused element on the page after which the walk fails. */
const LOST_MS = 30_000;

const FOCUS = `({
  hasFocus: document.hasFocus(),
  at: document.activeElement.outerHTML.slice(0, 150),
})`;

/**
 * Fails unless Tab reaches every control of the page and each shows that it has the focus.
 *
 * A sandboxed frame runs in its own process. On a busy machine keys are lost while it starts, which
 * is why key presses that move no focus do not count.
 */
export async function assertReached(page: Page, name: string): Promise<void> {
  await page.waitForLoadState();
  const controls = await page.evaluate<number>(NUMBER_CONTROLS);
  assert.ok(controls > 0, name);
  await page.evaluate(RECORD_STOPS);
  const missed = new Set(Array.from({ length: controls }, (_, at) => String(at)));
  let movedAt = performance.now();
  for (let pressed = 0; missed.size > 0 && pressed < controls * STOPS_PER_CONTROL;) {
    const presses = missed.size;
    for (let press = 0; press < presses; press++) await page.keyboard.press("Tab");
    const stops = await page.evaluate<FocusStop[]>("stops.splice(0)");
    if (stops.length > 0) {
      movedAt = performance.now();
      pressed += presses;
    } else if (performance.now() - movedAt > LOST_MS) break;
    for (const { control, shows, html } of stops) {
      if (control === null) continue;
      assert.ok(shows, `${name}: the focus is not visible: ${html}`);
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
    `${name}: Tab does not reach these. The focus: ${focus}, frames: [${frames}]`,
  );
}
