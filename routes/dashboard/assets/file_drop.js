/**
 * Uploads dropped or chosen files and folders: requests an address for each file, sends it there
 * with tus, and confirms the upload. An interrupted upload continues when the same file is dropped
 * again. Without scripts the form inside uploads one file. Texts are attributes of the element.
 */

const UPLOADS_MAX = 3;
/** Maximum number of rows for running and failed uploads, because a folder may have thousands. */
const ROWS_MAX = 50;
const RETRY_MS = [0, 1_000, 3_000, 5_000, 10_000, ...Array(20).fill(30_000)];

class FileDrop extends HTMLElement {
  #waiting = [];
  #busy = 0;
  #done = 0;
  #all = 0;

  connectedCallback() {
    if (this.querySelector(".sending") !== null) return;
    const input = this.querySelector("input[type=file]");
    input.multiple = true;
    this.querySelector("form button").replaceWith(this.#folderButton());
    const hint = document.createElement("small");
    hint.className = hint.id = "hint";
    hint.textContent = this.dataset.drop;
    input.setAttribute("aria-describedby", hint.id);
    input.closest("label").after(hint);
    const count = document.createElement("p");
    count.className = "count";
    count.setAttribute("role", "status");
    const list = document.createElement("ul");
    list.className = "sending";
    list.setAttribute("aria-live", "polite");
    this.append(count, list);
    this.#enqueueChosen(input);
    this.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.toggleAttribute("over", true);
    });
    this.addEventListener("dragleave", () => this.toggleAttribute("over", false));
    this.addEventListener("drop", async (event) => {
      event.preventDefault();
      this.toggleAttribute("over", false);
      this.#enqueue(await filesIn(event.dataTransfer));
    });
  }

  #enqueueChosen(input) {
    input.addEventListener("change", () => {
      this.#enqueue(
        [...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })),
      );
      input.value = "";
    });
  }

  #folderButton() {
    const input = document.createElement("input");
    input.type = "file";
    input.webkitdirectory = true;
    input.hidden = true;
    this.#enqueueChosen(input);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = this.dataset.folder;
    button.addEventListener("click", () => input.click());
    this.append(input);
    return button;
  }

  #enqueue(files) {
    this.#all += files.length;
    this.#waiting.push(...files);
    this.#showCount();
    while (this.#busy < UPLOADS_MAX && this.#waiting.length > 0) this.#next();
  }

  async #next() {
    const { file, name } = this.#waiting.shift();
    const row = this.#rowFor(name);
    this.#busy++;
    try {
      await send(this, { file, name, progress: row.progress });
      row.item.remove();
      this.#done++;
    } catch (error) {
      row.fail(error.message);
    }
    this.#busy--;
    this.#showCount();
    if (this.#waiting.length > 0) this.#next();
    else if (this.#busy === 0) await refresh();
  }

  #showCount() {
    const isOver = this.#busy === 0 && this.#waiting.length === 0;
    this.querySelector(".count").textContent = this.#all < 2
      ? ""
      : this.dataset.sent.replace("{done}", this.#done).replace("{all}", this.#all);
    if (isOver) this.#done = this.#all = 0;
  }

  #rowFor(name) {
    const item = document.createElement("li");
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", name);
    item.append(name, bar);
    const list = this.querySelector(".sending");
    // Keeps the most recent rows.
    while (list.children.length >= ROWS_MAX) list.firstElementChild.remove();
    list.append(item);
    return {
      item,
      progress: (done) => bar.value = done,
      fail(message) {
        const note = document.createElement("p");
        note.className = "bad";
        note.textContent = message;
        bar.replaceWith(note);
      },
    };
  }
}

/** Returns the dropped files and all files in dropped folders, named by their paths. */
async function filesIn({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...files].map((file) => ({ file, name: file.name }));
  const found = [];
  for (const entry of entries) await collect(entry, found);
  return found;
}

async function collect(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, name: entry.fullPath.slice(1) });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, found);
  }
}

async function send(element, { file, name, progress }) {
  const api = element.getAttribute("api");
  const words = element.dataset;
  const { size } = file;
  const kept = ["upload", api, name, size, file.lastModified].join(" ");
  const before = JSON.parse(localStorage.getItem(kept));
  const isOpen = before !== null && await fetch(before.url, { method: "HEAD", cache: "no-store" })
    .then(({ ok }) => ok, () => false);
  const upload = isOpen ? before : await begin(api, { file, name }, words);
  localStorage.setItem(kept, JSON.stringify(upload));
  await loaded(element.getAttribute("tus"), words);
  await put(upload.url, file, { progress, words });
  await call(`${api}/upload-confirm`, { filePath: upload.filePath, size }, words);
  localStorage.removeItem(kept);
}

async function begin(api, { file, name }, words) {
  const contentType = file.type || "application/octet-stream";
  const described = { filename: name, contentType, size: file.size };
  const { resumableUrl, filePath } = await call(`${api}/upload-request`, described, words);
  // The upload goes to the page's own server, whatever its public address is.
  return { url: new URL(resumableUrl).pathname, filePath };
}

async function call(url, body, words) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error(words.unreachable);
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? words.failed);
  return answer.data;
}

/** Loads the upload library. Browsers load a module once. */
async function loaded(src, words) {
  try {
    await import(src);
  } catch {
    throw new Error(words.unreachable);
  }
}

/** Sends a file, and pauses while the browser is offline. */
function put(path, file, { progress, words }) {
  return new Promise((resolve, reject) => {
    const watch = new AbortController();
    const upload = new globalThis.tus.Upload(file, {
      uploadUrl: new URL(path, location.href).href,
      storeFingerprintForResuming: false,
      retryDelays: RETRY_MS,
      onShouldRetry(error) {
        const status = error.originalResponse?.getStatus() ?? 0;
        return status < 400 || status >= 500 || [408, 409, 423, 429].includes(status);
      },
      // An empty file has a total of 0 bytes.
      onProgress: (sent, all) => progress(all === 0 ? 1 : sent / all),
      onSuccess() {
        watch.abort();
        resolve();
      },
      onError(error) {
        watch.abort();
        const answer = error.originalResponse?.getBody();
        reject(new Error(messageIn(answer) ?? words.lost));
      },
    });
    const { signal } = watch;
    addEventListener("offline", () => upload.abort(), { signal });
    addEventListener("online", () => upload.start(), { signal });
    upload.start();
  });
}

function messageIn(answer) {
  try {
    return JSON.parse(answer).message;
  } catch {
    return undefined;
  }
}

/** Updates the list of files and the storage size. Rows of failed uploads stay. */
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
