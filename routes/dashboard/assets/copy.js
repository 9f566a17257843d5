/**
 * A button that copies what its `text` says; without scripts it is not there. `label` is what it is
 * called, `copied` and `failed` what it is called for a moment afterwards.
 */

const SAID_MS = 1500;

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
      const isCopied = await copied(this.getAttribute("text") ?? "");
      button.textContent = this.getAttribute(isCopied ? "copied" : "failed");
      setTimeout(() => button.textContent = label, SAID_MS);
    });
    this.replaceChildren(button);
  }
}

/** Pages by plain http have no clipboard; the old way is left to them. */
async function copied(text) {
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
