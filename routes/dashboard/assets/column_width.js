/**
 * Handle at the end of a header for resizing its column. A double click restores the automatic
 * width. Widths are stored in the browser, because they depend on the screen.
 */

const STORED = "corbel.columns";
const WIDTH_MIN = 48;
/** Maximum number of grids whose widths are stored; the most recently resized ones are kept. */
const GRIDS_MAX = 50;

/** Returns the stored widths by path of the grid and column, or an empty object if unreadable. */
function readWidths() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) ?? {};
  } catch {
    return {};
  }
}

function storeWidth(column, width) {
  const { [location.pathname]: before, ...others } = readWidths();
  const { [column]: _width, ...widths } = before ?? {};
  const changed = width === null ? widths : { ...widths, [column]: width };
  const rest = Object.entries(others).slice(-(GRIDS_MAX - 1));
  try {
    localStorage.setItem(
      STORED,
      JSON.stringify({ ...Object.fromEntries(rest), [location.pathname]: changed }),
    );
  } catch {
    // Without storage, the width lasts until the page is left.
  }
}

class ColumnWidth extends HTMLElement {
  connectedCallback() {
    if (this.header !== undefined) return;
    this.header = this.closest("th");
    this.column = this.getAttribute("column");
    const width = readWidths()[location.pathname]?.[this.column];
    if (typeof width === "number") this.resize(width);
    this.addEventListener("pointerdown", (event) => this.start(event));
    this.addEventListener("dblclick", (event) => {
      event.stopPropagation();
      this.resize(null);
      storeWidth(this.column, null);
    });
  }

  start(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.setPointerCapture(event.pointerId);
    const from = this.header.offsetWidth - event.clientX;
    let width = null;
    const dragged = ({ clientX }) => {
      width = Math.max(WIDTH_MIN, Math.round(from + clientX));
      this.resize(width);
    };
    this.addEventListener("pointermove", dragged);
    this.addEventListener("lostpointercapture", () => {
      this.removeEventListener("pointermove", dragged);
      if (width !== null) storeWidth(this.column, width);
    }, { once: true });
  }

  /** Sets the width on all cells of the column, because tables size a column by all its cells. */
  resize(width) {
    const size = width === null ? "" : `${width}px`;
    for (const { cells } of this.closest("table").rows) {
      const { style } = cells[this.header.cellIndex];
      style.width = style.minWidth = style.maxWidth = size;
    }
  }
}

customElements.define("column-width", ColumnWidth);
