import type { Problem } from "@/lib/problems.ts";
import type { Provider } from "@/lib/social/provider.ts";
import type { ShownProvider } from "@/lib/social/manage_providers.ts";
import { CopyField, Done, Field, Refusal } from "../components/forms.tsx";

/** What was typed into the form of one provider. Its secret is never sent back. */
export interface EnteredProvider {
  readonly clientId: string;
  readonly enabled: boolean;
  readonly linking: string;
  readonly problem: Problem;
}

interface CardProps {
  readonly settings: ShownProvider;
  readonly about: Pick<Provider, "title" | "consoleUrl">;
  /** The path of the page. */
  readonly page: string;
  readonly mayChange: boolean;
  /** Whether users have somewhere to come back to. */
  readonly hasSite: boolean;
  readonly isSaved: boolean;
  readonly entered: EnteredProvider | null;
}

export const ProviderCard = (card: CardProps) => {
  const { settings, about, entered, mayChange, isSaved } = card;
  const isSetUp = settings.clientId !== null || settings.hasClientSecret;
  const badge = settings.enabled ? "badge on" : "badge";
  return (
    <article class="card" id={settings.provider}>
      <h2>
        {about.title} <span class={badge}>{settings.enabled ? "on" : "off"}</span>
      </h2>
      {isSaved && <Done>Saved.</Done>}
      {mayChange
        ? (
          <>
            {!isSetUp && entered === null && <p>Not set up yet.</p>}
            {isSetUp || entered !== null ? <ProviderForm {...card} /> : (
              <details class="reveal">
                <summary>Set up</summary>
                <ProviderForm {...card} />
              </details>
            )}
          </>
        )
        : <Settings {...card} />}
    </article>
  );
};

const ProviderForm = ({ settings, about, page, entered, hasSite }: CardProps) => {
  const { provider, callbackUrl, hasClientSecret, enabled } = settings;
  return (
    <form method="post" action={`${page}/providers/${provider}`}>
      <p class="muted">
        Register the callback URL in an OAuth application at{" "}
        <a href={about.consoleUrl} target="_blank" rel="noopener noreferrer">{about.title}</a>, then
        paste its client ID and secret here.
      </p>
      <Refusal problem={entered?.problem ?? null} />
      <CopyField label="Callback URL" value={callbackUrl} />
      <Field
        label="Client ID"
        name="clientId"
        value={entered?.clientId ?? settings.clientId}
        autocomplete="off"
      />
      <Field
        label="Client secret"
        name="clientSecret"
        type="password"
        autocomplete="new-password"
        {...(hasClientSecret && { placeholder: "stored, leave empty to keep" })}
      />
      <Linking chosen={entered?.linking ?? settings.linking} />
      <label>
        <input
          type="checkbox"
          role="switch"
          name="enabled"
          {...((entered?.enabled ?? enabled) && { checked: true })}
        />
        Enabled
      </label>
      <div class="acts">
        <button>Save</button>
        {enabled && hasSite && (
          <a
            role="button"
            class="quiet"
            href={`${page}/providers/${provider}/try`}
            target="_blank"
            rel="noopener"
            hx-boost="false"
          >
            Try it
          </a>
        )}
        {enabled && !hasSite && <small>To try it, set the Site URL above.</small>}
      </div>
    </form>
  );
};

const LINKING = {
  verified: "signs in as that user, if the provider has verified it",
  never: "is another user",
} as const;

const Linking = ({ chosen }: { chosen: string }) => (
  <label>
    Same e-mail as a user of another provider
    <select name="linking">
      {Object.entries(LINKING).map(([value, says]) => (
        <option value={value} {...(value === chosen && { selected: true })}>{says}</option>
      ))}
    </select>
  </label>
);

/** For who may only look. */
const Settings = ({ settings }: CardProps) => (
  <dl class="facts">
    <dt>Callback URL</dt>
    <dd class="mono">{settings.callbackUrl}</dd>
    <dt>Client ID</dt>
    <dd class="mono">{settings.clientId ?? "none"}</dd>
    <dt>Client secret</dt>
    <dd>{settings.hasClientSecret ? "stored" : "none"}</dd>
    <dt>Same e-mail</dt>
    <dd>{LINKING[settings.linking]}</dd>
  </dl>
);
