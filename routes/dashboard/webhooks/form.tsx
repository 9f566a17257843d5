import {
  COLLECTION_EVENTS,
  type EventName,
  USER_EVENTS,
  USERS_NAME,
} from "@/lib/events/webhooks/records.ts";
import type { WebhookSummary } from "@/lib/events/webhooks/manage.ts";
import type { Problem } from "@/lib/problems.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";

/** Values of a webhook's form. Events have names such as `posts.created`. */
export interface EnteredWebhook {
  readonly name: string;
  readonly url: string;
  readonly events: ReadonlySet<string>;
  readonly enabled: boolean;
}

export const NEW_WEBHOOK: EnteredWebhook = {
  name: "",
  url: "",
  events: new Set(),
  enabled: true,
};

export const toEnteredWebhook = (
  { name, url, events, enabled }: WebhookSummary,
): EnteredWebhook => ({
  name,
  url,
  events: new Set(
    Object.entries(events).flatMap(([of, listed]) => listed.map((event) => `${of}.${event}`)),
  ),
  enabled,
});

export function readWebhook(form: URLSearchParams): EnteredWebhook {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    url: text("url"),
    events: new Set(form.getAll("events")),
    enabled: form.get("enabled") === "on",
  };
}

export function toWebhookInput({ name, url, events, enabled }: EnteredWebhook): object {
  const byName = new Map<string, string[]>();
  for (const one of events) {
    const [of = "", event = ""] = one.split(".");
    byName.set(of, [...byName.get(of) ?? [], event]);
  }
  return { name, url, events: Object.fromEntries(byName), enabled };
}

const SAMPLE_URL = "https://hooks.example.com/corbel";

export const WebhookForm = (
  { action, button, entered, collections, problem }: {
    action: string;
    button: string;
    entered: EnteredWebhook;
    collections: readonly string[];
    problem: Problem | null;
  },
) => {
  const t = texts().webhooks.form;
  return (
    <form method="post" action={action}>
      <Refusal problem={problem} />
      <Field label={t.name} name="name" value={entered.name} required />
      <Field
        label={t.address}
        name="url"
        value={entered.url}
        placeholder={SAMPLE_URL}
        required
      />
      <div class="pair">
        {collections.map((name) => (
          <Events
            of={name}
            events={COLLECTION_EVENTS}
            entered={entered}
          />
        ))}
        <Events of={USERS_NAME} events={USER_EVENTS} entered={entered} />
      </div>
      <label>
        <input type="checkbox" name="enabled" checked={entered.enabled} />
        {t.enabled}
      </label>
      <button>{button}</button>
    </form>
  );
};

const Events = (
  { of, events, entered }: {
    of: string;
    events: readonly EventName[];
    entered: EnteredWebhook;
  },
) => (
  <fieldset>
    <legend class="mono">{of}</legend>
    {events.map((event) => (
      <label>
        <input
          type="checkbox"
          name="events"
          value={`${of}.${event}`}
          checked={entered.events.has(`${of}.${event}`)}
        />
        {texts().webhooks.events[event]}
      </label>
    ))}
  </fieldset>
);
