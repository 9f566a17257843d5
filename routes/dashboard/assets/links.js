/**
 * A link that is opened in another tab or window by a key is the browser's own matter: htmx would
 * keep it from that, and then do nothing itself.
 */

document.addEventListener("click", (event) => {
  const hasKey = event.ctrlKey || event.metaKey || event.shiftKey;
  if (hasKey && event.target.closest("a[href]") !== null) event.stopPropagation();
}, { capture: true });
