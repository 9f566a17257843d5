const PAUSE_MS = 2000;

/**
 * Keeps a list as it is on the server.
 *
 * @param call Asks Corbel as whoever is signed in: `call(path, init)` resolves to the answer's data.
 * @param show Is called with the items, and with whether we hear of changes at the moment.
 * @returns A function that stops it.
 */
export function liveList(call, { collection, query }, show) {
  const items = new Map();
  let lastEventId; // Where to go on after a break, so that nothing is left out.
  let source;
  let isStopped = false;

  async function open() {
    try {
      const body = JSON.stringify({ query, lastEventId });
      const { url } = await call(`/api/data/${collection}/live`, { method: "POST", body });
      if (isStopped) return;
      source = new EventSource(url);
      source.onopen = () => show([...items.values()], true);
      source.onerror = openAgain;
      source.addEventListener("list", (event) => take(event, ({ items }) => replaceAll(items)));
      source.addEventListener("change", (event) => take(event, replaceOne));
      source.addEventListener("reset", () => items.clear()); // The next event is a new list.
    } catch {
      openAgain();
    }
  }

  function take(event, apply) {
    apply(JSON.parse(event.data));
    lastEventId = event.lastEventId;
    show([...items.values()], true);
  }

  function replaceAll(list) {
    items.clear();
    for (const item of list) items.set(item._id, item);
  }

  function replaceOne({ action, id, document }) {
    if (action === "removed") items.delete(id);
    else items.set(id, document);
  }

  // A ticket is good once: the attempts that the browser makes to reconnect would be refused.
  function openAgain() {
    source?.close();
    if (isStopped) return;
    show([...items.values()], false);
    setTimeout(open, PAUSE_MS);
  }

  open();
  return () => {
    isStopped = true;
    source?.close();
  };
}
