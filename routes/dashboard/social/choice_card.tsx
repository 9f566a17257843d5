import { texts } from "../texts/mod.ts";
/** Card of a provider that does not need any setup. */
export const ChoiceCard = (
  { name, title, hasSite, tryPath }: {
    name: string;
    title: string;
    hasSite: boolean;
    /** Address that starts a trial, or null if the member may not. */
    tryPath: string | null;
  },
) => {
  const t = texts().signIn;
  return (
    <article class="card" id={name}>
      <h2>
        {title} <span class="badge on">{t.choice.onlyInDev}</span>
      </h2>
      <p>{t.choice.about(name)}</p>
      {!hasSite && <small>{t.choice.needsSite}</small>}
      {hasSite && tryPath !== null && (
        <div class="acts">
          <a
            role="button"
            class="quiet"
            href={tryPath}
            target="_blank"
            rel="noopener"
            hx-boost="false"
          >
            {t.tryIt}
          </a>
        </div>
      )}
    </article>
  );
};
