/**
 * A button that copies its attribute `text`. Hidden without scripts. The attribute `label` is its
 * label; `copied` and `failed` replace the label for a moment afterwards.
 */

const RESULT_SHOWN_MS = 1500;

class CopyText extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button") !== null) return;
    const button = document.createElement("button");
    const label = this.getAttribute("label");
    button.type = "button";
    button.className = "quiet";
    button.textContent = label;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const isCopied = await copyText(this.getAttribute("text") ?? "");
      button.textContent = this.getAttribute(isCopied ? "copied" : "failed");
      setTimeout(() => button.textContent = label, RESULT_SHOWN_MS);
    });
    this.replaceChildren(button);
  }
}

/** Copies a text. Pages on plain http do not have `navigator.clipboard` and use `execCommand`. */
async function copyText(text) {
  if (navigator.clipboard !== undefined) {
    return await navigator.clipboard.writeText(text).then(() => true, () => false);
  }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

customElements.define("copy-text", CopyText);
