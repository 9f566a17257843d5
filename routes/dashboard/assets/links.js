/**
 * Hides clicks with a modifier key from htmx, which would prevent the browser from opening the link
 * in another tab or window.
 */

document.addEventListener("click", (event) => {
  const hasKey = event.ctrlKey || event.metaKey || event.shiftKey;
  if (hasKey && event.target.closest("a[href]") !== null) event.stopPropagation();
}, { capture: true });
