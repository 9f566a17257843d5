/** Maximum number of changes that is counted. */
const COUNTED_MAX = 999;
const PAUSES_MS = [5_000, 15_000, 60_000];

/**
 * Button that appears when the list below it has changed. Pressing it reloads the list. Texts are
 * attributes of the element.
 */
class LiveChanges extends HTMLElement {
  #source = null;
  #after = null;
  #isOver = false;
  #isUnknown = false;
  /** Ids of changed documents. Repeated changes of a document count once. */
  #changed = new Set();
  #failures = 0;
  #timer;
  #leaving;

  connectedCallback() {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    document.addEventListener("visibilitychange", () => this.#follow(), { signal });
    this.#follow();
  }

  disconnectedCallback() {
    this.#leaving.abort();
    this.#close();
  }

  /** Follows the list while the page is visible, because browsers limit connections to a server. */
  #follow() {
    this.#close();
    if (!this.#isOver && document.visibilityState === "visible") this.#open();
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #open() {
    const url = new URL(this.getAttribute("src"), location.href);
    if (this.#after !== null) url.searchParams.set(".after", this.#after);
    const source = this.#source = new EventSource(url);
    source.addEventListener("open", () => this.#failures = 0);
    source.addEventListener("change", ({ data, lastEventId }) => {
      this.#after = lastEventId;
      if (this.#changed.size <= COUNTED_MAX) this.#changed.add(JSON.parse(data).id);
      this.#show();
    });
    source.addEventListener("reset", () => {
      this.#isUnknown = true;
      this.#show();
    });
    source.addEventListener("unauthorized", () => {
      this.#isOver = true;
      this.#close();
    });
    source.addEventListener("error", () => this.#failed(source));
  }

  /** Reopens a refused stream, which browsers do not retry, because a proxy may have refused it. */
  #failed(source) {
    if (source.readyState !== EventSource.CLOSED || this.#failures >= PAUSES_MS.length) return;
    this.#timer = setTimeout(() => this.#follow(), PAUSES_MS[this.#failures++]);
  }

  #show() {
    const button = this.querySelector("button");
    button.textContent = this.#words();
    button.hidden = false;
  }

  #words() {
    const { size } = this.#changed;
    const { one, several, many, unknown } = this.dataset;
    if (this.#isUnknown) return unknown;
    if (size > COUNTED_MAX) return many.replace("{count}", COUNTED_MAX);
    return size === 1 ? one : several.replace("{count}", size);
  }
}

customElements.define("live-changes", LiveChanges);
