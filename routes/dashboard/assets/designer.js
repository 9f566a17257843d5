/** The chat of the collection creator, which shows answers while they are generated. */
class DesignerChat extends HTMLElement {
  #leaving = null;

  connectedCallback() {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    this.addEventListener("submit", (event) => this.#send(event), { signal });
    this.addEventListener("keydown", (event) => {
      const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
      if (sends && event.target.name === "userMessage") event.target.form.requestSubmit();
    }, { signal });
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  async #send(event) {
    const form = event.target;
    const field = form.elements.userMessage;
    if (field === undefined) return;
    event.preventDefault();
    const userMessage = field.value;
    const button = form.querySelector("button");
    form.querySelector("[role=alert]")?.remove();
    const question = this.#addMessage("user", userMessage);
    const answer = this.#addMessage("assistant", "");
    answer.setAttribute("aria-busy", "true");
    button.disabled = field.readOnly = true;
    try {
      await this.#ask(userMessage, answer.querySelector("p"));
      await this.#reload();
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      question.remove();
      answer.remove();
      form.prepend(refusal(error.message));
    } finally {
      button.disabled = field.readOnly = false;
      answer.removeAttribute("aria-busy");
      this.querySelector("textarea")?.focus();
    }
  }

  /** Adds a message to the chat. Sets it as text, because it is untrusted. */
  #addMessage(role, text) {
    const item = document.createElement("li");
    item.className = role;
    const name = document.createElement("b");
    name.textContent = this.getAttribute(role);
    const words = document.createElement("p");
    words.textContent = text;
    item.append(name, words);
    const talk = this.querySelector(".talk");
    talk.querySelector(".empty")?.remove();
    talk.append(item);
    item.scrollIntoView({ block: "nearest" });
    return item;
  }

  async #ask(userMessage, words) {
    const response = await fetch(this.getAttribute("api"), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ userMessage }),
      signal: this.#leaving.signal,
    }).catch(() => {
      throw new Error(this.getAttribute("unreachable"));
    });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw new Error((await response.json()).message);
    }
    for await (const { event, data } of eventsOf(response.body)) {
      if (event === "error") throw new Error(data.message);
      if (event === "done") return;
      words.textContent += data.text;
      words.scrollIntoView({ block: "nearest" });
    }
    throw new Error(this.getAttribute("cut-off"));
  }

  /** Replaces the page's content by its current state. */
  async #reload() {
    const { signal } = this.#leaving;
    const response = await fetch(location.pathname, { signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const main = page.querySelector("main");
    if (page.querySelector("designer-chat") === null) return location.reload();
    // Replaces all of `main`, because the button to start over is outside the chat.
    document.querySelector("main").replaceWith(document.adoptNode(main));
    main.querySelector(".talk > :last-child")?.scrollIntoView({ block: "nearest" });
    main.querySelector("textarea")?.focus();
  }
}

function refusal(message) {
  const note = document.createElement("p");
  note.className = "note bad";
  note.setAttribute("role", "alert");
  note.textContent = message;
  return note;
}

/** Yields the events of a stream, each with one line of JSON as data. */
async function* eventsOf(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}

customElements.define("designer-chat", DesignerChat);
