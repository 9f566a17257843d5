/** Shows a time in the viewer's time zone. The title keeps the exact time. */

class LocalTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector("time");
    if (time === null) return;
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    time.textContent = formatTime(at, new Date());
  }
}

/** Locale of dates and times: the user's variant of the page's language. */
const { lang } = document.documentElement;
const language = navigator.languages.find((one) => one.startsWith(lang)) ?? lang;

const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat(language, { dateStyle: "medium" });

function formatTime(at, now) {
  const days = Math.round((startOf(now) - startOf(at)) / 86_400_000);
  if (days === 0 || days === 1) return `${words.format(-days, "day")}, ${clock.format(at)}`;
  const isNear = at.getFullYear() === now.getFullYear();
  return isNear ? `${day.format(at)}, ${clock.format(at)}` : date.format(at);
}

const startOf = (at) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

customElements.define("local-time", LocalTime);
