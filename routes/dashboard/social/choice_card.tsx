import { texts } from "../texts/mod.ts";
/** A provider that is there without any setup, and nowhere but on the developer's own machine. */
export const ChoiceCard = (
  { name, title, hasSite, tryPath }: {
    name: string;
    title: string;
    /** Whether users have somewhere to come back to. */
    hasSite: boolean;
    /** Null for whoever may not try it. */
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
