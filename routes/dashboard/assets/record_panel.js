/**
 * Shows a document next to the grid, with the form of the document's page. On a narrow screen and
 * without scripts the link opens the page itself. Texts are attributes of the grid.
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

  /** Shows the document of a link. If its page does not have a form, the browser opens the page. */
  async show(link) {
    if (!this.#canLeave()) return;
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
    const pageLink = link.cloneNode();
    pageLink.removeAttribute("aria-label");
    pageLink.textContent = this.words.page;
    const spacer = document.createElement("span");
    spacer.className = "grow";
    bar.append(pageLink, spacer, ...acts, close);
    this.replaceChildren(bar, sheet);
    htmx.process(this);
    const heading = sheet.querySelector("h2");
    heading.tabIndex = -1;
    heading.focus();
  }

  /** Marks the row of the open document in the grid. */
  #mark(isOpen) {
    const row = this.#link?.closest("tr");
    row?.toggleAttribute("data-open", isOpen);
  }

  /** Whether the panel may close. Asks the user if the form has unsaved input. */
  #canLeave() {
    return !this.#isTyped || confirm(this.words.leave);
  }

  close() {
    if (!this.#canLeave()) return;
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

/** Maximum time between the two clicks of a double click, which edits the cell. */
const DOUBLE_CLICK_MS = 250;
let opening;

// Captures clicks before htmx follows the link.
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
  // A click that the grid dispatches has already waited for a double click.
  if (event.isTrusted && event.detail === 1 && isEditable) {
    opening = setTimeout(show, DOUBLE_CLICK_MS);
  } else show();
}, { capture: true });
