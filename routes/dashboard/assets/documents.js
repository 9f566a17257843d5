const scrolled = new Map();

/** Numbers of rows and cells that an arrow key moves the focus. */
const STEPS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

/** Maximum time between the two clicks of a double click. */
const DOUBLE_CLICK_MS = 250;

/**
 * The grid of documents. A click opens a row, arrow keys move between cells, and the horizontal
 * scroll position is kept between pages of the grid.
 */
class DataGrid extends HTMLElement {
  connectedCallback() {
    this.place = location.pathname;
    this.scrollLeft = scrolled.get(this.place) ?? 0;
    this.addEventListener("scroll", () => scrolled.set(this.place, this.scrollLeft));
    this.addEventListener("keydown", (event) => this.move(event));
    this.addEventListener("click", (event) => this.open(event));
  }

  /**
   * Follows the first link of the clicked row with the click's modifier keys, unless text is
   * selected. In an editable cell it waits for the second click of a double click.
   */
  open(event) {
    clearTimeout(this.opening);
    if (event.target.closest("a, .pick, cell-editor") !== null || event.detail > 1) return;
    const cell = event.target.closest("tbody td");
    const link = cell?.parentElement.querySelector("td:not(.pick) a");
    if (!link) return;
    const follow = () => {
      if (getSelection().isCollapsed) link.dispatchEvent(new MouseEvent("click", event));
    };
    if (this.querySelector("thead").rows[0].cells[cell.cellIndex].dataset.field === undefined) {
      follow();
    } else this.opening = setTimeout(follow, DOUBLE_CLICK_MS);
  }

  move(event) {
    const [down, right] = STEPS[event.key] ?? [];
    if (down === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = event.target.closest("td");
    const rows = [...this.querySelectorAll("tbody tr")];
    const at = rows.indexOf(event.target.closest("tr"));
    const next = rows[at + down]?.cells[cell?.cellIndex + right];
    if (cell === null || at < 0 || next === undefined) return;
    next.tabIndex = -1;
    (next.querySelector("a, input") ?? next).focus();
    event.preventDefault();
  }
}

/**
 * Checkbox that selects all rows or none. A click with Shift selects a range of rows. The attribute
 * `label` is its accessible name.
 */
class SelectAll extends HTMLElement {
  connectedCallback() {
    if (this.box !== undefined) return;
    const table = this.closest("table");
    this.boxes = [...table.querySelectorAll("tbody input[type=checkbox]")];
    this.box = document.createElement("input");
    this.box.type = "checkbox";
    this.box.setAttribute("aria-label", this.getAttribute("label"));
    this.box.addEventListener("change", () => {
      for (const one of this.boxes) one.checked = this.box.checked;
      this.show();
    });
    this.append(this.box);
    table.addEventListener("click", (event) => this.clicked(event));
    table.addEventListener("change", () => this.show());
    this.closest("form").elements.all?.addEventListener("change", () => this.show());
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
    const form = this.closest("form");
    const isAll = form.elements.all?.checked === true;
    for (const place of form.querySelectorAll("[data-count]")) {
      place.textContent = isAll ? "" : place.dataset.count.replace("{count}", count);
    }
  }
}

/** Starts the next step of an action automatically. */
class NextStep extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    this.timer = setTimeout(() => button.click());
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }
}

/** Fills in the viewer's time zone, on which ranges such as "last week" depend. */
class TimeZone extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input");
    if (field !== null) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  }
}

/** Presses the button whose `aria-keyshortcuts` names Control+S. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "s" || event.altKey || event.ctrlKey === event.metaKey) return;
  const save = document.querySelector("[aria-keyshortcuts~='Control+S']");
  if (save === null) return;
  event.preventDefault();
  save.click();
});

/** Open menus, which Escape or a click outside closes. */
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
customElements.define("next-step", NextStep);
