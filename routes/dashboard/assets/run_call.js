/**
 * Sends an operation of a collection with the publishable key, and shows what is answered. What it
 * says is in `data-sending`, `data-answered` and `data-failed`.
 */

/** Of an answer that is shown. */
const SHOWN_LENGTH_MAX = 200_000;

class RunCall extends HTMLElement {
  connectedCallback() {
    // Before htmx hears of it: this form is no page's.
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopPropagation();
      void this.#run(event.target);
    }, { capture: true });
  }

  async #run(form) {
    const [said, answer] = [this.querySelector("output"), this.querySelector("pre")];
    const button = form.querySelector("button");
    button.disabled = true;
    said.textContent = this.dataset.sending;
    try {
      const began = performance.now();
      const response = await fetch(...this.#request(new FormData(form)));
      const text = shown(await response.text());
      const ms = Math.round(performance.now() - began);
      said.textContent = this.dataset.answered.replace("{status}", response.status)
        .replace("{ms}", ms).replace("{requestId}", response.headers.get("x-request-id"));
      answer.querySelector("code").textContent = text;
      answer.hidden = false;
    } catch (error) {
      said.textContent = this.dataset.failed.replace("{why}", () => error.message);
    }
    button.disabled = false;
  }

  #request(fields) {
    const text = (name) => (fields.get(name) ?? "").trim();
    const path = this.getAttribute("path").replace("{id}", encodeURIComponent(text("id")));
    const headers = { "x-api-key": this.getAttribute("key") };
    if (text("token") !== "") headers.authorization = `Bearer ${text("token")}`;
    const method = this.getAttribute("method");
    if (!fields.has("body")) return [`${path}?${text("query")}`, { method, headers }];
    headers["content-type"] = "application/json";
    return [path, { method, headers, body: text("body") }];
  }
}

function shown(text) {
  const part = text.slice(0, SHOWN_LENGTH_MAX);
  if (part.length < text.length) return `${part} …`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

customElements.define("run-call", RunCall);
