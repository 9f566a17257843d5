/**
 * Edits a cell of the grid in place after a double click or F2. The field and the entity tag come
 * from the form of the document's page, and the editor saves by sending that form, so that all
 * rules apply and concurrent changes are not overwritten. Texts are attributes of the grid.
 */

const parseHtml = async (response) =>
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
  /** Whether editing has ended. Removing the field also fires its `blur` event. */
  #isOver = false;

  /** Opens an editor in a cell, or the document's page if its form does not have the field. */
  static async open(cell, key) {
    const { href } = rowLinkIn(cell.parentElement);
    const page = await parseHtml(await fetch(href));
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
    this.addEventListener("keydown", (event) => this.#handleKey(event));
    this.#field.addEventListener("blur", () => this.#handleBlur());
  }

  #isChanged() {
    return this.#field.value !== this.#value;
  }

  #handleKey(event) {
    event.stopPropagation(); // The grid must not handle keys of the field.
    if (event.key === "Escape") this.#end(this.#before);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#save();
  }

  /** Saves a changed value when the field loses the focus. */
  #handleBlur() {
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
      if (response.ok) await this.#showSaved();
      else this.#showRefusal(response.status, await parseHtml(response));
    } catch {
      this.#showMessage(this.#words.unreachable);
    } finally {
      this.#isSaving = false;
      this.removeAttribute("aria-busy");
    }
  }

  /** Shows the saved cell, or the typed value if the grid does not contain the row any more. */
  async #showSaved() {
    const grid = await parseHtml(await fetch(location.href));
    const path = new URL(this.#page).pathname;
    const place = this.#cell.cellIndex;
    const row = [...grid.querySelectorAll("data-grid tbody tr")]
      .find((one) => rowLinkIn(one)?.getAttribute("href").split("?")[0] === path);
    const nodes = row === undefined ? [this.#field.value] : [...row.cells[place].childNodes];
    this.#end(nodes, document.activeElement === this.#field);
    htmx.process(this.#cell);
  }

  #showRefusal(status, page) {
    const message = page.querySelector(".member-fault") ?? page.querySelector("[role=alert]");
    this.#showMessage(
      status === 412 ? this.#words.conflict : message?.textContent.trim() ?? this.#words.refused,
    );
  }

  #showMessage(words) {
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

/** Returns the key of a cell's field, or undefined if it cannot be edited in place. */
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
