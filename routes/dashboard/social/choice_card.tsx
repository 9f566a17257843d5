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
) => (
  <article class="card" id={name}>
    <h2>
      {title} <span class="badge on">only in dev</span>
    </h2>
    <p>
      Users choose on a page of this server who they are; nothing has to be set up. In your
      application it is the provider <span class="mono">{name}</span>, for example{" "}
      <span class="mono">{`signInWith("${name}")`}</span>. A server that is started by{" "}
      <span class="mono">start</span> does not have it.
    </p>
    {!hasSite && <small>To use it, set the Site URL above.</small>}
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
          Try it
        </a>
      </div>
    )}
  </article>
);
