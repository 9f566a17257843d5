/**
 * Keeps a list as it is on the server: `show(items, isLive)` is called whenever it changes, and
 * `call(path, init)` asks Corbel as whoever is signed in. Returns a function that stops it.
 */
export function liveList(call, { collection, query }, show) {
  const items = new Map();
  let source, lastEventId, isStopped; // The id is where to go on, so that nothing is left out.
  const tell = (isLive) => isStopped || show([...items.values()], isLive);
  const add = (item) => items.set(item._id, item);

  async function open() {
    const body = JSON.stringify({ query, lastEventId });
    const ask = () => call(`/api/data/${collection}/live`, { method: "POST", body });
    const ticket = await ask().catch(() => null);
    if (ticket === null || isStopped) return openAgain();
    source = new EventSource(ticket.url);
    source.onopen = () => tell(true);
    source.onerror = openAgain; // A ticket is good once: the browser's own attempts are no use.
    const on = (name, apply) =>
      source.addEventListener(name, (event) => {
        apply(JSON.parse(event.data));
        lastEventId = event.lastEventId;
        tell(true);
      });
    on("list", (list) => {
      items.clear();
      list.items.forEach(add);
    });
    on("change", (it) => it.action === "removed" ? items.delete(it.id) : add(it.document));
  }

  function openAgain() {
    source?.close();
    tell(false);
    if (!isStopped) setTimeout(open, 2000);
  }

  open();
  return () => {
    isStopped = true;
    source?.close();
  };
}
