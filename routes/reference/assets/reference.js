/** Search, the reader's key in all samples, and requests from the page. */

const STORED = "corbel.publishableKey";
/** Maximum number of characters shown of a response. A live list does not end by itself. */
const SHOWN_LENGTH_MAX = 1_000_000;

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

function search(form) {
  const [field, found] = [one("[data-search]", form), one("[data-found]", form)];
  const entries = all("[data-operation]").map((element) => ({
    element,
    text: `${element.dataset.operation} ${element.textContent}`.toLowerCase(),
  }));
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, text } of entries) {
      element.hidden = !words.every((word) => text.includes(word));
      if (!element.hidden) count++;
    }
    for (const group of all("[data-tag], [data-group]")) {
      group.hidden = one("[data-operation]:not([hidden])", group) === null;
    }
    found.textContent = words.length === 0 ? "" : `${count} of ${entries.length}`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    one("[data-operation]:not([hidden]) a")?.click();
  });
  field.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea")) return;
    event.preventDefault();
    field.focus();
  });
  // Browsers restore the field when the reader goes back.
  filter();
}

/** Puts the entered key into all samples. Stores only publishable keys, never secret ones. */
function keys(field) {
  let example = field.defaultValue;
  const isPublic = example.startsWith("pk_");
  const stored = isPublic ? sessionStorage.getItem(STORED) : null;
  if (stored !== null) field.value = stored;
  const show = () => {
    const key = field.value.trim() || example;
    for (const text of all("[data-key-text]")) text.textContent = key;
    for (const note of all("[data-example-note]")) note.hidden = key !== example;
    if (/^pk_live_[\w-]+$/.test(key) && key !== example) sessionStorage.setItem(STORED, key);
    else if (isPublic) sessionStorage.removeItem(STORED);
  };
  field.addEventListener("input", show);
  show();
  if (!isPublic || stored !== null) return;
  exampleKey().then((key) => {
    // Keep a key that the reader has entered in the meantime.
    if (key === null || field.value !== example) return;
    field.value = example = key;
    show();
    for (const note of all("[data-example-note]")) note.hidden = true;
  });
}

/** Resolves to a publishable key of the reader's projects, or null. */
async function exampleKey() {
  try {
    const response = await fetch("/dashboard/example-key");
    return response.ok ? (await response.json()).key : null;
  } catch {
    return null; // The samples keep the example key.
  }
}

/** Returns the address and the options of `fetch` for a form. */
function requestOf(form) {
  let path = form.dataset.path;
  const [query, headers] = [new URLSearchParams(), new Headers()];
  for (const { name, value, dataset } of all("[data-in]", form)) {
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === "") continue;
    else if (dataset.in === "header") headers.set(name, value);
    else if (dataset.open === "true") {
      new URLSearchParams(value).forEach((v, k) => query.append(k, v));
    } else query.append(name, value);
  }
  const key = one("[data-key]", form)?.value.trim();
  if (key) headers.set("x-api-key", key);
  const token = all("[data-token]", form).map(({ value }) => value.trim()).find(Boolean);
  if (token) headers.set("authorization", `Bearer ${token}`);
  const [text, file] = [one("textarea", form), one("input[type=file]", form)?.files[0]];
  if (text !== null && text.value.trim() !== "") headers.set("content-type", "application/json");
  if (file) headers.set("content-type", file.type || "application/octet-stream");
  return {
    url: query.size > 0 ? `${path}?${query}` : path,
    options: {
      method: form.dataset.method,
      headers,
      body: file ?? (text?.value.trim() || undefined),
      redirect: "manual",
    },
  };
}

const pretty = (text, type) => {
  if (!type?.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Shows the body of a response as it arrives. */
async function read(response, target) {
  const type = response.headers.get("content-type");
  const isText = /json|text|javascript|typescript|xml/.test(type ?? "text");
  if (!isText) {
    await response.body?.cancel();
    target.textContent = `(${type})`;
    return;
  }
  let text = "";
  if (response.body !== null) {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      target.textContent = text.slice(0, SHOWN_LENGTH_MAX);
      if (text.length > SHOWN_LENGTH_MAX) return;
    }
  }
  target.textContent = pretty(text, type);
}

function tryOut(section) {
  const [form, answer] = [one("form", section), one("[data-answer]", section)];
  const [status, text] = [one("[data-status]", answer), one("[data-text]", answer)];
  const stop = one("[data-stop]", form);
  let running = null;
  section.hidden = false;
  stop.addEventListener("click", () => running?.abort());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running?.abort();
    const current = running = new AbortController();
    const { url, options } = requestOf(form);
    answer.hidden = false;
    stop.hidden = false;
    status.textContent = "Sending …";
    text.textContent = "";
    const begin = performance.now();
    try {
      const response = await fetch(url, { ...options, signal: current.signal });
      const ms = Math.round(performance.now() - begin);
      status.textContent = response.type === "opaqueredirect"
        ? `A redirect, in ${ms} ms. Open ${url} in a tab to follow it.`
        : `${response.status} ${response.statusText}, in ${ms} ms`;
      if (response.type !== "opaqueredirect") await read(response, text);
    } catch (error) {
      if (running !== current) return; // A newer request shows its response.
      if (current.signal.aborted) status.textContent += " (stopped)";
      else status.textContent = `No answer: ${error.message}`;
    }
    if (running === current) stop.hidden = true;
  });
}

for (const form of all("form.search")) search(form);
for (const form of all("form.keys")) {
  form.addEventListener("submit", (event) => event.preventDefault());
}
for (const field of all("[data-key]")) keys(field);
for (const section of all("[data-try]")) tryOut(section);
