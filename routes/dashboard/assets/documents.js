/** What scripts add to the grid of documents; without them each of its forms works, too. */

const scrolled = new Map();

/**
 * The rows: a click opens one, arrows go up and down, and another page of the same grid begins where
 * this one is.
 */
class DataGrid extends HTMLElement {
  connectedCallback() {
    this.place = location.pathname;
    this.scrollLeft = scrolled.get(this.place) ?? 0;
    this.addEventListener("scroll", () => scrolled.set(this.place, this.scrollLeft));
    this.addEventListener("keydown", (event) => this.move(event));
    this.addEventListener("click", (event) => this.open(event));
  }

  /** As its first link does, in a new tab if the keys say so; text that is being selected stays. */
  open(event) {
    if (event.target.closest("a, .pick") !== null || !getSelection().isCollapsed) return;
    const link = event.target.closest("tbody tr")?.querySelector("td:not(.pick) a");
    link?.dispatchEvent(new MouseEvent("click", event));
  }

  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = event.target.closest("td");
    const rows = [...this.querySelectorAll("tbody tr")];
    const at = rows.indexOf(event.target.closest("tr"));
    const next = rows[at + step];
    if (cell === null || at < 0 || next === undefined) return;
    next.cells[cell.cellIndex]?.querySelector("a, input")?.focus();
    event.preventDefault();
  }
}

/** A box that selects all rows, or none; Shift selects all between two. */
class SelectAll extends HTMLElement {
  connectedCallback() {
    if (this.box !== undefined) return;
    const table = this.closest("table");
    this.boxes = [...table.querySelectorAll("tbody input[type=checkbox]")];
    this.box = document.createElement("input");
    this.box.type = "checkbox";
    this.box.setAttribute("aria-label", "Select all");
    this.box.addEventListener("change", () => {
      for (const one of this.boxes) one.checked = this.box.checked;
      this.show();
    });
    this.append(this.box);
    table.addEventListener("click", (event) => this.clicked(event));
    table.addEventListener("change", () => this.show());
    this.show();
  }

  clicked(event) {
    const at = this.boxes.indexOf(event.target);
    if (at < 0) return;
    if (event.shiftKey && this.last !== undefined) {
      const [from, to] = [Math.min(at, this.last), Math.max(at, this.last)];
      for (const one of this.boxes.slice(from, to)) one.checked = event.target.checked;
    }
    this.last = at;
  }

  show() {
    const count = this.boxes.filter((one) => one.checked).length;
    this.box.checked = count > 0 && count === this.boxes.length;
    this.box.indeterminate = count > 0 && count < this.boxes.length;
    for (const place of this.closest("form").querySelectorAll("[data-count]")) {
      place.textContent = `${count} selected`;
    }
  }
}

/** Says where the viewer is, so that "last week" is theirs. */
class TimeZone extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input");
    if (field !== null) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  }
}

/** The button that a key presses says so itself. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "s" || event.altKey || event.ctrlKey === event.metaKey) return;
  const save = document.querySelector("[aria-keyshortcuts~='Control+S']");
  if (save === null) return;
  event.preventDefault();
  save.click();
});

/** What lies over the page closes by Escape, and by a click elsewhere. */
const openMenus = () => document.querySelectorAll("details.menu[open], .bar > details[open]");

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});

customElements.define("data-grid", DataGrid);
customElements.define("select-all", SelectAll);
customElements.define("time-zone", TimeZone);
