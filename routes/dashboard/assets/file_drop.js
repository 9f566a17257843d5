/**
 * Files, dropped or chosen, go straight to where they are kept: each asks for an address, is put
 * there, and is confirmed. Without scripts the form inside sends one through us.
 */

const AT_ONCE = 3;

class FileDrop extends HTMLElement {
  #waiting = [];
  #busy = 0;

  connectedCallback() {
    if (this.querySelector(".sending") !== null) return;
    const input = this.querySelector("input[type=file]");
    input.multiple = true;
    this.querySelector("form button").remove();
    const hint = document.createElement("small");
    hint.className = hint.id = "hint";
    hint.textContent = "Or drop files here.";
    input.setAttribute("aria-describedby", hint.id);
    input.closest("label").after(hint);
    const list = document.createElement("ul");
    list.className = "sending";
    list.setAttribute("aria-live", "polite");
    this.append(list);
    input.addEventListener("change", () => {
      this.#take([...input.files]);
      input.value = "";
    });
    this.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.toggleAttribute("over", true);
    });
    this.addEventListener("dragleave", () => this.toggleAttribute("over", false));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.toggleAttribute("over", false);
      this.#take([...event.dataTransfer.files]);
    });
  }

  #take(files) {
    for (const file of files) this.#waiting.push({ file, row: this.#rowFor(file) });
    while (this.#busy < AT_ONCE && this.#waiting.length > 0) this.#next();
  }

  async #next() {
    const { file, row } = this.#waiting.shift();
    this.#busy++;
    try {
      await send(this.getAttribute("api"), file, row.progress);
      row.item.remove();
    } catch (error) {
      row.fail(error.message);
    }
    this.#busy--;
    if (this.#waiting.length > 0) this.#next();
    else if (this.#busy === 0) await refresh();
  }

  #rowFor({ name }) {
    const item = document.createElement("li");
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", name);
    item.append(name, bar);
    this.querySelector(".sending").append(item);
    return {
      item,
      progress: (done) => bar.value = done,
      fail(message) {
        const said = document.createElement("p");
        said.className = "bad";
        said.textContent = message;
        bar.replaceWith(said);
      },
    };
  }
}

async function send(api, file, progress) {
  const contentType = file.type || "application/octet-stream";
  const described = { filename: file.name, contentType, size: file.size };
  const { signedUrl, filePath } = await call(`${api}/upload-request`, described);
  await put(signedUrl, contentType, file, progress);
  await call(`${api}/upload-confirm`, { filePath, size: file.size });
}

async function call(url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error("Corbel cannot be reached: try again.");
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? "That went wrong: try again.");
  return answer.data;
}

/** Only this way tells how far it is. */
function put(url, contentType, file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.setRequestHeader("content-type", contentType);
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Error(`The storage refused the file (${request.status}): try again.`));
    });
    request.addEventListener("error", () =>
      reject(
        new Error(
          "The storage took no file from this page: check the storage's CORS rules, or try again.",
        ),
      ));
    request.send(file);
  });
}

/** What is there now, from the same page. Rows that failed stay where they are. */
async function refresh() {
  const response = await fetch(location.pathname).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of ["#files", ".side [aria-current] small"]) {
    const fresh = page.querySelector(part);
    if (fresh !== null) document.querySelector(part)?.replaceWith(fresh);
  }
}

customElements.define("file-drop", FileDrop);
