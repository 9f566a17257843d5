/**
 * The end of a header, by which its column is dragged to size; a double click gives it back to the
 * browser. Widths are kept in the browser and not on the server: they are a matter of this screen.
 */

const STORED = "corbel.columns";
const WIDTH_MIN = 48;
/** Of so many grids the widths are kept: the last ones that were dragged in. */
const GRIDS_MAX = 50;

/** By the path of a grid, then by that of a column. What cannot be read is as if nothing were kept. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) ?? {};
  } catch {
    return {};
  }
}

function keep(column, width) {
  const { [location.pathname]: before, ...others } = kept();
  const { [column]: _width, ...widths } = before ?? {};
  const mine = width === null ? widths : { ...widths, [column]: width };
  const rest = Object.entries(others).slice(-(GRIDS_MAX - 1));
  try {
    localStorage.setItem(
      STORED,
      JSON.stringify({ ...Object.fromEntries(rest), [location.pathname]: mine }),
    );
  } catch {
    // Where nothing can be kept, it is as wide as it was dragged until the page is left.
  }
}

class ColumnWidth extends HTMLElement {
  connectedCallback() {
    if (this.header !== undefined) return;
    this.header = this.closest("th");
    this.column = this.getAttribute("column");
    const width = kept()[location.pathname]?.[this.column];
    if (typeof width === "number") this.resize(width);
    this.addEventListener("pointerdown", (event) => this.start(event));
    this.addEventListener("dblclick", (event) => {
      event.stopPropagation();
      this.resize(null);
      keep(this.column, null);
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
      if (width !== null) keep(this.column, width);
    }, { once: true });
  }

  /** A table gives a column what its cells ask for: so each of them asks. */
  resize(width) {
    const size = width === null ? "" : `${width}px`;
    for (const { cells } of this.closest("table").rows) {
      const { style } = cells[this.header.cellIndex];
      style.width = style.minWidth = style.maxWidth = size;
    }
  }
}

customElements.define("column-width", ColumnWidth);
