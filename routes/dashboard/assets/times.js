/** Shows times in the viewer's zone; the exact value stays in the title. */

class LocalTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector("time");
    if (time === null) return;
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    time.textContent = shown(at, new Date());
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

function shown(at, now) {
  const days = Math.round((startOf(now) - startOf(at)) / 86_400_000);
  if (days === 0) return `today, ${clock.format(at)}`;
  if (days === 1) return `yesterday, ${clock.format(at)}`;
  const isNear = at.getFullYear() === now.getFullYear();
  return isNear ? `${day.format(at)}, ${clock.format(at)}` : date.format(at);
}

const startOf = (at) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

customElements.define("local-time", LocalTime);
