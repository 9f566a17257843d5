/**
 * Sends a request to a collection with the publishable key and shows the response. Texts are in
 * `data-sending`, `data-answered` and `data-failed`.
 */

/** Maximum number of characters shown of a response. */
const SHOWN_LENGTH_MAX = 200_000;

class RunCall extends HTMLElement {
  connectedCallback() {
    // Captures the event before htmx submits the form.
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopPropagation();
      void this.#run(event.target);
    }, { capture: true });
  }

  async #run(form) {
    const [status, answer] = [this.querySelector("output"), this.querySelector("pre")];
    const button = form.querySelector("button");
    button.disabled = true;
    status.textContent = this.dataset.sending;
    try {
      const began = performance.now();
      const response = await fetch(...this.#request(new FormData(form)));
      const text = formatResponse(await response.text());
      const ms = Math.round(performance.now() - began);
      status.textContent = this.dataset.answered.replace("{status}", response.status)
        .replace("{ms}", ms).replace("{requestId}", response.headers.get("x-request-id"));
      answer.querySelector("code").textContent = text;
      answer.hidden = false;
    } catch (error) {
      status.textContent = this.dataset.failed.replace("{why}", () => error.message);
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

function formatResponse(text) {
  const part = text.slice(0, SHOWN_LENGTH_MAX);
  if (part.length < text.length) return `${part} …`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

customElements.define("run-call", RunCall);
