import type { KeyKind } from "@/lib/projects/api_keys.ts";
import { Ask, CopyField } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

/** A key that has just been made; a secret one is shown this once. */
export interface FreshKey {
  readonly kind: KeyKind;
  readonly key: string;
}

const KINDS = {
  publishable: {
    label: "Publishable key",
    use: "For browsers and apps; it may be public. What it may do is each collection's access.",
    loss: "Every application with the present publishable key is refused at once, until it has " +
      "the new one.",
  },
  secret: {
    label: "Secret key",
    use: "For servers only: it reads and changes everything.",
    loss: "Every server with the present secret key is refused at once, until it has the new one.",
  },
} as const;

export const Keys = (
  { home, madeAt, publishableKey, fresh, mayChange }: {
    home: string;
    /** Null where only its hash is known. */
    publishableKey: string | null;
    madeAt: Partial<Record<KeyKind, string>>;
    fresh: FreshKey | null;
    mayChange: boolean;
  },
) => (
  <article class="card">
    <h2>Keys</h2>
    {publishableKey !== null && <CopyField label="Publishable key" value={publishableKey} />}
    <p>A secret key is shown once, when it is created. A lost one is replaced by rotating it.</p>
    {fresh?.kind === "publishable" && (
      <p class="note good" role="status">The publishable key is new. The one before is refused.</p>
    )}
    {fresh?.kind === "secret" && (
      <div class="note good" role="status">
        <CopyField label="New secret key" value={fresh.key} />
        <span>It is shown this once: copy it now. The one before is refused.</span>
      </div>
    )}
    <ul class="rows">
      {(["publishable", "secret"] as const).map((kind) => (
        <KeyRow kind={kind} home={home} madeAt={madeAt[kind]} mayChange={mayChange} />
      ))}
    </ul>
  </article>
);

const KeyRow = (
  { kind, home, madeAt, mayChange }: {
    kind: KeyKind;
    home: string;
    madeAt: string | undefined;
    mayChange: boolean;
  },
) => {
  const { label, use, loss } = KINDS[kind];
  return (
    <li>
      <span class="grow">
        <b>{label}</b>
        {madeAt !== undefined && (
          <>
            {" "}
            <span class="muted">
              made <When at={madeAt} />
            </span>
          </>
        )}
        <small>{use}</small>
      </span>
      {mayChange && (
        <Ask
          label={`Rotate ${kind} key`}
          action={`${home}/keys`}
          loss={loss}
          button={`Create a new ${kind} key`}
        >
          <input type="hidden" name="kind" value={kind} />
        </Ask>
      )}
    </li>
  );
};
