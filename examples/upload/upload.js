/**
 * Uploads a file, and goes on where it was after whatever happens to the connection or the page:
 * `call(path, init)` asks Corbel as whoever is signed in, `progress(bytes, isWaiting)` is told how far
 * it is. Resolves to the file's path.
 */
export async function upload(call, file, { progress, signal }) {
  const ask = (step, body) =>
    call(`/api/storage/upload-${step}`, { method: "POST", body: JSON.stringify(body) });
  const { size } = file;
  const kept = `corbel.upload.${file.name}.${size}.${file.lastModified}`;

  // 1. Request. An upload of this file that was begun before is taken up again.
  let begun = JSON.parse(localStorage.getItem(kept));
  if (begun !== null && await arrivedOf(begun.resumableUrl).catch(() => null) === null) {
    begun = null;
  }
  if (begun === null) {
    const contentType = file.type || "application/octet-stream";
    begun = await ask("request", { filename: file.name, contentType, size });
    localStorage.setItem(kept, JSON.stringify(begun));
  }
  const { resumableUrl, filePath } = begun;

  for (let failures = 0, arrived = 0, sent = 0;;) {
    try {
      // 2. Send what is missing.
      const before = arrived;
      arrived = await arrivedOf(resumableUrl);
      if (arrived > before) failures = 0;
      const told = (bytes) => progress(sent = arrived + bytes, false);
      if (arrived < size) await send(resumableUrl, { file, arrived, told, signal });

      // 3. Confirm. Only now is it a file; to confirm again answers the same.
      await ask("confirm", { filePath, size });
      localStorage.removeItem(kept);
      return filePath;
    } catch (error) {
      if (signal.aborted) fetch(resumableUrl, { method: "DELETE" }).catch(() => {}); // Or it expires.
      if (signal.aborted || isFinal(error)) {
        localStorage.removeItem(kept);
        throw error;
      }
      progress(sent, true);
      await pause(1000 * 2 ** Math.min(failures++, 4), signal);
    }
  }
}

/** What is refused for good; what has no answer at all is not. */
const isFinal = ({ status = 0 }) =>
  status >= 400 && status < 500 && ![408, 409, 423, 429].includes(status);

const failure = (message, status) => Object.assign(new Error(message), { status });

/** How many bytes have arrived. */
async function arrivedOf(url) {
  const answer = await fetch(url, { method: "HEAD", cache: "no-store" });
  if (!answer.ok) throw failure(`The upload is over (${answer.status}).`, answer.status);
  return Number(answer.headers.get("upload-offset"));
}

/** `fetch` would do, but does not tell how far it is. */
function send(url, { file, arrived, told, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded }) => told(loaded);
    request.onload = () => {
      if (request.status === 204) return resolve();
      reject(failure(JSON.parse(request.responseText).message, request.status));
    };
    request.onerror = () => reject(failure("The connection is lost."));
    request.onabort = () => reject(failure("Stopped. Nothing was uploaded."));
    // Browsers notice that nothing is sent any more only after minutes.
    for (const [target, event] of [[signal, "abort"], [globalThis, "offline"]]) {
      target.addEventListener(event, () => request.abort(), { once: true });
    }
    request.open("PATCH", url);
    request.setRequestHeader("tus-resumable", "1.0.0");
    request.setRequestHeader("content-type", "application/offset+octet-stream");
    request.setRequestHeader("upload-offset", arrived);
    request.send(file.slice(arrived));
  });
}

/** Until some time has passed, the network is back or nobody wants the upload any more. */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    globalThis.addEventListener("online", resolve, { once: true });
    signal.addEventListener("abort", resolve, { once: true });
  });
