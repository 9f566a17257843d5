import type { Problem } from "@/lib/problems.ts";
import type { Provider } from "@/lib/social/provider.ts";
import type { ProviderDetails } from "@/lib/social/manage_providers.ts";
import { texts } from "../texts/mod.ts";
import { CopyField, Field, Refusal, SuccessNote } from "../components/forms.tsx";

/** Values of a provider's form. Its secret is never sent back. */
export interface EnteredProvider {
  readonly clientId: string;
  readonly enabled: boolean;
  readonly linking: string;
  readonly problem: Problem;
}

interface CardProps {
  readonly settings: ProviderDetails;
  readonly about: Pick<Provider, "title" | "consoleUrl">;
  readonly page: string;
  readonly canChange: boolean;
  /** Whether the project has a Site URL to which users return. */
  readonly hasSite: boolean;
  readonly isSaved: boolean;
  readonly entered: EnteredProvider | null;
}

export const ProviderCard = (card: CardProps) => {
  const { settings, about, entered, canChange, isSaved } = card;
  const t = texts().signIn;
  const isSetUp = settings.clientId !== null || settings.hasClientSecret;
  const badge = settings.enabled ? "badge on" : "badge";
  return (
    <article class="card" id={settings.provider}>
      <h2>
        {about.title} <span class={badge}>{settings.enabled ? t.on : t.off}</span>
      </h2>
      {isSaved && <SuccessNote>{t.saved}</SuccessNote>}
      {canChange
        ? (
          <>
            {!isSetUp && entered === null && <p>{t.provider.none}</p>}
            {isSetUp || entered !== null ? <ProviderForm {...card} /> : (
              <details class="reveal">
                <summary>{t.provider.setUp}</summary>
                <ProviderForm {...card} />
              </details>
            )}
          </>
        )
        : <ProviderFacts {...card} />}
    </article>
  );
};

const ProviderForm = ({ settings, about, page, entered, hasSite }: CardProps) => {
  const { provider, callbackUrl, hasClientSecret, enabled } = settings;
  const t = texts().signIn;
  return (
    <form method="post" action={`${page}/providers/${provider}`}>
      <p class="muted">
        {t.provider.register(
          <a href={about.consoleUrl} target="_blank" rel="noopener noreferrer">{about.title}</a>,
        )}
      </p>
      <Refusal problem={entered?.problem ?? null} />
      <CopyField label={t.provider.callbackUrl} value={callbackUrl} />
      <Field
        label={t.provider.clientId}
        name="clientId"
        value={entered?.clientId ?? settings.clientId}
        autocomplete="off"
      />
      <Field
        label={t.provider.clientSecret}
        name="clientSecret"
        type="password"
        autocomplete="new-password"
        placeholder={hasClientSecret ? t.provider.storedKeep : undefined}
      />
      <Linking chosen={entered?.linking ?? settings.linking} />
      <label>
        <input
          type="checkbox"
          role="switch"
          name="enabled"
          checked={entered?.enabled ?? enabled}
        />
        {t.provider.enabled}
      </label>
      <div class="acts">
        <button>{t.save}</button>
        {enabled && hasSite && (
          <a
            role="button"
            class="quiet"
            href={`${page}/providers/${provider}/try`}
            target="_blank"
            rel="noopener"
            hx-boost="false"
          >
            {t.tryIt}
          </a>
        )}
        {enabled && !hasSite && <small>{t.provider.needsSite}</small>}
      </div>
    </form>
  );
};

const Linking = ({ chosen }: { chosen: string }) => {
  const t = texts().signIn.provider;
  return (
    <label>
      {t.sameEmailAs}
      <select name="linking">
        {Object.entries(t.linking).map(([value, says]) => (
          <option value={value} selected={value === chosen}>{says}</option>
        ))}
      </select>
    </label>
  );
};

const ProviderFacts = ({ settings }: CardProps) => {
  const t = texts().signIn;
  return (
    <dl class="facts">
      <dt>{t.provider.callbackUrl}</dt>
      <dd class="mono">{settings.callbackUrl}</dd>
      <dt>{t.provider.clientId}</dt>
      <dd class="mono">{settings.clientId ?? t.none}</dd>
      <dt>{t.provider.clientSecret}</dt>
      <dd>{settings.hasClientSecret ? t.provider.stored : t.none}</dd>
      <dt>{t.provider.sameEmail}</dt>
      <dd>{t.provider.linking[settings.linking]}</dd>
    </dl>
  );
};
