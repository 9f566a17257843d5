import { COLLECTION_EVENTS, USER_EVENTS, USERS_NAME } from "@/lib/events/webhooks/records.ts";
import type { ShownWebhook } from "@/lib/events/webhooks/manage.ts";
import type { Problem } from "@/lib/problems.ts";
import { Field, Refusal } from "../components/forms.tsx";

/** A webhook as a form has it; events as `posts.created`. */
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

export const enteredWebhook = ({ name, url, events, enabled }: ShownWebhook): EnteredWebhook => ({
  name,
  url,
  events: new Set(
    Object.entries(events).flatMap(([of, told]) => told.map((event) => `${of}.${event}`)),
  ),
  enabled,
});

export function typedWebhook(form: URLSearchParams): EnteredWebhook {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    url: text("url"),
    events: new Set(form.getAll("events")),
    enabled: form.get("enabled") === "on",
  };
}

/** As the contract of the operation takes it. */
export function webhookInput({ name, url, events, enabled }: EnteredWebhook): object {
  const byName = new Map<string, string[]>();
  for (const one of events) {
    const [of = "", event = ""] = one.split(".");
    byName.set(of, [...byName.get(of) ?? [], event]);
  }
  return { name, url, events: Object.fromEntries(byName), enabled };
}

export const WebhookForm = (
  { action, button, entered, collections, problem }: {
    action: string;
    button: string;
    entered: EnteredWebhook;
    /** Names of those that there are. */
    collections: readonly string[];
    problem: Problem | null;
  },
) => (
  <form method="post" action={action}>
    <Refusal problem={problem} />
    <Field label="Name" name="name" value={entered.name} required />
    <Field
      label="Address"
      name="url"
      value={entered.url}
      placeholder="https://hooks.example.com/corbel"
      required
    />
    {collections.map((name) => <Events of={name} events={COLLECTION_EVENTS} entered={entered} />)}
    <Events of={USERS_NAME} events={USER_EVENTS} entered={entered} />
    <label>
      <input type="checkbox" name="enabled" {...(entered.enabled && { checked: true })} />
      Messages are sent
    </label>
    <button>{button}</button>
  </form>
);

const WORDS: Readonly<Record<string, string>> = { signedIn: "signed in the first time" };

const Events = (
  { of, events, entered }: {
    of: string;
    events: readonly string[];
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
          {...(entered.events.has(`${of}.${event}`) && { checked: true })}
        />
        {WORDS[event] ?? event}
      </label>
    ))}
  </fieldset>
);
