const $ = (selector) => document.querySelector(selector);

// 1. Request. The page's own server asks Corbel, with the secret key that no page may hold.

const request = (file) =>
  ask("/upload-request", { filename: file.name, contentType: typeOf(file), size: file.size });

/** What the browser knows of the file; it must be the same in the request and in the PUT. */
const typeOf = (file) => file.type || "application/octet-stream";

// 2. Send. The bytes go to the storage directly. `fetch` would do, but it does not tell how far it is.

function send(file, signedUrl, onProgress) {
  const put = new XMLHttpRequest();
  const sent = new Promise((resolve, reject) => {
    put.upload.onprogress = ({ loaded }) => onProgress(loaded);
    put.onload = () => put.status < 300 ? resolve() : reject(new Error(refusalOf(put)));
    put.onerror = () => reject(new Error("The storage did not take the file. Try again."));
    put.onabort = () => reject(new Error("Stopped. Nothing was uploaded."));
  });
  put.open("PUT", signedUrl);
  put.setRequestHeader("content-type", typeOf(file));
  put.send(file);
  return { sent, stop: () => put.abort() };
}

/** Corbel says in JSON why it refuses, a bucket in XML, which is not for people. */
function refusalOf({ status, responseText }) {
  try {
    return JSON.parse(responseText).message;
  } catch {
    return `The storage refused the file (${status}).`;
  }
}

// 3. Confirm. Only now is it a file, with an address that serves it.

async function confirm(filePath, size) {
  for (let tries = 1;; tries++) {
    try {
      return await ask("/upload-confirm", { filePath, size });
    } catch (error) {
      // The one refusal that passes by itself.
      if (error.code !== "UPLOAD_NOT_READY" || tries === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500 * tries));
    }
  }
}

async function ask(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!answer.success) throw Object.assign(new Error(answer.message), { code: answer.code });
  return answer;
}

// The page itself.

let stop = () => {};

async function upload(file) {
  tell("");
  show({ isBusy: true, name: file.name, loaded: 0, size: file.size });
  try {
    const { signedUrl, filePath } = await request(file);
    const sending = send(
      file,
      signedUrl,
      (loaded) => show({ isBusy: true, name: file.name, loaded, size: file.size }),
    );
    stop = sending.stop;
    await sending.sent;
    const { url, warning } = await confirm(filePath, file.size);
    add(file, url);
    tell(warning ?? `${file.name} is uploaded.`);
  } catch (error) {
    tell(error.message, true);
  } finally {
    stop = () => {};
    show({ isBusy: false });
  }
}

function show({ isBusy, name = "", loaded = 0, size = 1 }) {
  $("#choose").hidden = isBusy;
  $("#sending").hidden = !isBusy;
  $("#sending-name").textContent = name;
  $("#progress").max = Math.max(size, 1);
  $("#progress").value = loaded;
  $("#percent").textContent = `${Math.floor(100 * loaded / Math.max(size, 1))} %`;
}

/** Pictures are shown, other files linked; what has no address is named. */
function add(file, url) {
  const item = document.createElement("li");
  if (url !== null && typeOf(file).startsWith("image/")) {
    const picture = document.createElement("img");
    picture.src = url;
    picture.alt = file.name;
    item.append(picture);
  }
  const name = document.createElement(url === null ? "span" : "a");
  if (url !== null) name.href = url;
  name.textContent = file.name;
  item.append(name);
  $("#files").prepend(item);
}

function tell(text, isAlarm = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("alarm", isAlarm);
}

$("#file").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  target.value = ""; // The same file may be chosen again.
  if (file) upload(file);
});
$("#stop").addEventListener("click", () => stop());
