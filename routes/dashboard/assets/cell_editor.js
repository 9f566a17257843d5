/**
 * A cell of the grid is edited in place by a double click, or F2: with the field of the document's
 * own form, fetched from its page together with the tag of what it shows. It is saved by that form,
 * so that every rule holds, and nothing is overwritten that was not seen. Its words are attributes
 * of the grid.
 */

const parsed = async (response) =>
  new DOMParser().parseFromString(await response.text(), "text/html");

const rowLinkIn = (row) => row.querySelector("td:not(.pick) a");

class CellEditor extends HTMLElement {
  #cell;
  #words;
  #before;
  #page;
  #field;
  #tag;
  #value;
  #isSaving = false;
  /** A field that is taken out of the page loses the focus, too. */
  #isOver = false;

  /** Puts one into a cell. What has no such field in its form is opened instead. */
  static async open(cell, key) {
    const { href } = rowLinkIn(cell.parentElement);
    const page = await parsed(await fetch(href));
    const form = page.querySelector("form.document-form");
    const field = form?.elements[`f.${key}`];
    if (field === undefined) return location.assign(href);
    if (!cell.isConnected) return;
    const editor = document.createElement("cell-editor");
    editor.#start(cell, { href, key, field, tag: form.elements.etag.value });
  }

  #start(cell, { href, key, field, tag }) {
    this.#cell = cell;
    this.#words = cell.closest("data-grid").dataset;
    this.#page = href;
    this.#tag = tag;
    this.#field = document.importNode(field, true);
    this.#field.removeAttribute("id");
    this.#field.setAttribute("aria-label", this.#words.keys.replace("{field}", () => key));
    this.#value = this.#field.value;
    this.#before = [...cell.childNodes];
    this.append(this.#field);
    cell.replaceChildren(this);
    this.#field.focus();
    this.#field.select?.();
    this.addEventListener("keydown", (event) => this.#pressed(event));
    this.#field.addEventListener("blur", () => this.#left());
  }

  #isChanged() {
    return this.#field.value !== this.#value;
  }

  #pressed(event) {
    event.stopPropagation(); // Arrows, too, are the field's own.
    if (event.key === "Escape") this.#end(this.#before);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#save();
  }

  /** What was typed is saved; where nothing was, nothing is done. */
  #left() {
    if (this.#isOver || this.#isSaving) return;
    if (this.#isChanged()) this.#save();
    else this.#end(this.#before, false);
  }

  #end(nodes, takesFocus = true) {
    const cell = this.#cell;
    this.#isOver = true;
    cell.replaceChildren(...nodes);
    if (takesFocus) (cell.querySelector("a") ?? cell).focus();
  }

  async #save() {
    if (this.#isSaving) return;
    if (!this.#isChanged()) return this.#end(this.#before);
    this.#isSaving = true;
    this.setAttribute("aria-busy", "true");
    const body = new URLSearchParams({ etag: this.#tag, then: "stay" });
    body.set(this.#field.name, this.#field.value);
    try {
      const url = new URL(this.#page);
      const response = await fetch(url.origin + url.pathname, { method: "POST", body });
      if (response.ok) await this.#show();
      else this.#refuse(response.status, await parsed(response));
    } catch {
      this.#tell(this.#words.unreachable);
    } finally {
      this.#isSaving = false;
      this.removeAttribute("aria-busy");
    }
  }

  /** The cell as the grid shows it now; of a row that is not in it any more, as it was typed. */
  async #show() {
    const grid = await parsed(await fetch(location.href));
    const path = new URL(this.#page).pathname;
    const place = this.#cell.cellIndex;
    const row = [...grid.querySelectorAll("data-grid tbody tr")]
      .find((one) => rowLinkIn(one)?.getAttribute("href").split("?")[0] === path);
    const nodes = row === undefined ? [this.#field.value] : [...row.cells[place].childNodes];
    this.#end(nodes, document.activeElement === this.#field);
    htmx.process(this.#cell);
  }

  #refuse(status, page) {
    const told = page.querySelector(".member-fault") ?? page.querySelector("[role=alert]");
    this.#tell(
      status === 412 ? this.#words.conflict : told?.textContent.trim() ?? this.#words.refused,
    );
  }

  #tell(words) {
    this.querySelector("[role=alert]")?.remove();
    const note = document.createElement("small");
    note.setAttribute("role", "alert");
    note.textContent = words;
    this.append(note);
    this.#field.setAttribute("aria-invalid", "true");
    this.#field.focus();
  }
}

customElements.define("cell-editor", CellEditor);

/** The key of the field that a cell shows; undefined where it cannot be edited in place. */
const keyOf = (cell) => cell?.closest("table").tHead.rows[0].cells[cell.cellIndex].dataset.field;

function edit(event) {
  const cell = event.target.closest("data-grid tbody td");
  const key = keyOf(cell);
  if (key === undefined || event.target.closest("cell-editor") !== null) return;
  event.preventDefault();
  getSelection().removeAllRanges(); // A double click has selected a word.
  CellEditor.open(cell, key).catch(() => location.assign(rowLinkIn(cell.parentElement).href));
}

document.addEventListener("dblclick", edit);
document.addEventListener("keydown", (event) => {
  const isCell = event.target.tagName === "TD" && event.key === "Enter";
  if (event.key === "F2" || isCell) edit(event);
});
