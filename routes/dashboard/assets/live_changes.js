/** Past this the number says nothing any more. */
const COUNTED_MAX = 999;
const PAUSES_MS = [5_000, 15_000, 60_000];

/**
 * Says that the list below it is not any more as it is shown. Nothing moves until it is pressed. Its
 * words are attributes that the page sets.
 */
class LiveChanges extends HTMLElement {
  #source = null;
  #after = null;
  #isOver = false;
  #isUnknown = false;
  /** Of documents: one that is written again and again is one change of what is shown. */
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

  /** Browsers keep six connections to a server, and windows that nobody sees would take them all. */
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

  /** What was refused the browser does not try again, and it may be a proxy's word alone. */
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
