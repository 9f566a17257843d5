/**
 * A document beside the grid that it is in: its page's own form, fetched from there. Without scripts,
 * on a narrow screen and in a new tab the link leads to the page itself. Its words are attributes
 * of the grid.
 */

const ROOMY = matchMedia("(min-width: 900px)");

const rowLink = (row) => row?.querySelector("td:not(.pick) a");

class RecordPanel extends HTMLElement {
  #link = null;
  #loading = null;
  #isTyped = false;

  connectedCallback() {
    this.addEventListener("input", () => this.#isTyped = true);
    this.addEventListener("submit", () => this.#isTyped = false);
    this.addEventListener("click", (event) => {
      if (event.target.closest("[data-close]") !== null) this.close();
    });
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.querySelector("details[open]") === null) this.close();
    });
  }

  disconnectedCallback() {
    this.#loading?.abort();
  }

  /** Shows the page of the link. What cannot be shown here is left to the browser. */
  async show(link) {
    if (!this.#mayLeave()) return;
    this.#loading?.abort();
    const { signal } = this.#loading = new AbortController();
    this.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(link.href, { signal });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const sheet = page.querySelector("main .sheet");
      if (sheet === null) return location.assign(link.href);
      this.#fill(link, page.querySelectorAll("main > .bar > .grow ~ *"), sheet);
    } catch {
      if (!signal.aborted) location.assign(link.href);
    } finally {
      this.removeAttribute("aria-busy");
    }
  }

  #fill(link, acts, sheet) {
    this.#mark(false);
    this.#link = link;
    this.#isTyped = false;
    this.#mark(true);
    const bar = document.createElement("div");
    bar.className = "bar";
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.dataset.close = "";
    close.textContent = this.words.close;
    const whole = link.cloneNode();
    whole.removeAttribute("aria-label");
    whole.textContent = this.words.page;
    const room = document.createElement("span");
    room.className = "grow";
    bar.append(whole, room, ...acts, close);
    this.replaceChildren(bar, sheet);
    htmx.process(this);
    const heading = sheet.querySelector("h2");
    heading.tabIndex = -1;
    heading.focus();
  }

  /** Shows in the grid which row it is. */
  #mark(isOpen) {
    const row = this.#link?.closest("tr");
    row?.toggleAttribute("data-open", isOpen);
  }

  /** Nothing that was typed is lost unasked. */
  #mayLeave() {
    return !this.#isTyped || confirm(this.words.leave);
  }

  close() {
    if (!this.#mayLeave()) return;
    this.#mark(false);
    this.remove();
    this.#link?.focus();
  }
}

customElements.define("record-panel", RecordPanel);

function panelOf(grid) {
  const known = document.querySelector("record-panel");
  if (known !== null) return known;
  const panel = document.createElement("record-panel");
  panel.setAttribute("role", "dialog");
  panel.setAttribute("aria-label", grid.dataset.panel);
  panel.words = grid.dataset;
  grid.closest("main").append(panel);
  return panel;
}

/** A second click within it makes a double click of both, which edits the cell. */
const DOUBLE_CLICK_MS = 250;
let opening;

/** Before htmx, which would follow the link. */
document.addEventListener("click", (event) => {
  clearTimeout(opening);
  const link = event.target.closest("data-grid tbody a");
  const cell = link?.closest("td");
  if (!cell || link !== rowLink(cell.parentElement) || !ROOMY.matches) return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  if (event.detail > 1) return;
  const grid = link.closest("data-grid");
  const show = () => panelOf(grid).show(link);
  const isEditable = grid.querySelector("thead").rows[0].cells[cell.cellIndex].dataset.field;
  // A click that the grid has made of one on the row has waited already.
  if (event.isTrusted && event.detail === 1 && isEditable) {
    opening = setTimeout(show, DOUBLE_CLICK_MS);
  } else show();
}, { capture: true });
