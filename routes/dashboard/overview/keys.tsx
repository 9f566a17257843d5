import type { BrowserUse, KeyKind } from "@/lib/projects/api_keys.ts";
import type { RotatedKey } from "@/lib/projects/rotate_key.ts";
import type { ShownKey } from "@/lib/projects/shown_keys.ts";
import { Ask, CopyField } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

const KINDS = {
  publishable: {
    label: "Publishable key",
    use: "For browsers and apps; it may be public. What it may do is each collection's access.",
    loss: "Every application with the present publishable key is refused at once, or at the end " +
      "of the time that you choose, until it has the new one.",
  },
  secret: {
    label: "Secret key",
    use: "For servers only: it reads and changes everything.",
    loss: "Every server with the present secret key is refused at once, or at the end of the " +
      "time that you choose, until it has the new one.",
  },
} as const;

interface KeysProps {
  readonly home: string;
  readonly keys: readonly ShownKey[];
  readonly seenInBrowser: BrowserUse | null;
  readonly fresh: RotatedKey | null;
  readonly mayChange: boolean;
}

export const Keys = ({ home, keys, seenInBrowser, fresh, mayChange }: KeysProps) => {
  const publishableKey = keys.find(({ kind }) => kind === "publishable")?.key ?? null;
  return (
    <article class="card">
      <h2>Keys</h2>
      {publishableKey !== null && <CopyField label="Publishable key" value={publishableKey} />}
      <p>A secret key is shown once, when it is created. A lost one is replaced by rotating it.</p>
      {seenInBrowser !== null && <KeyInBrowser {...seenInBrowser} />}
      {fresh !== null && <FreshKey fresh={fresh} />}
      <ul class="rows">
        {keys.map((shown) => <KeyRow shown={shown} home={home} mayChange={mayChange} />)}
      </ul>
    </article>
  );
};

/** A secret key is shown this once. */
const FreshKey = ({ fresh: { kind, key, formerValidUntil } }: { fresh: RotatedKey }) => {
  const before = formerValidUntil === null ? "The one before is refused." : (
    <>
      The one before works until <When at={formerValidUntil} />.
    </>
  );
  return kind === "publishable"
    ? <p class="note good" role="status">The publishable key is new. {before}</p>
    : (
      <div class="note good" role="status">
        <CopyField label="New secret key" value={key} />
        <span>It is shown this once: copy it now. {before}</span>
      </div>
    );
};

const KeyInBrowser = ({ origin, at }: BrowserUse) => (
  <p class="note bad">
    Your secret key was used from a browser, by a page of <code>{origin}</code>:{" "}
    <When at={at} />. Anybody who opens that page can read the key. Use the publishable key there,
    and rotate the secret one.
  </p>
);

const KeyRow = (
  { shown: { kind, start, createdAt, formerValidUntil }, home, mayChange }: {
    shown: ShownKey;
    home: string;
    mayChange: boolean;
  },
) => {
  const { label, use, loss } = KINDS[kind];
  return (
    <li>
      <span class="grow">
        <b>{label}</b> {start !== null && (
          <>
            <code>{start}…</code>
            {" "}
          </>
        )}
        <span class="muted">
          made <When at={createdAt} />
        </span>
        <small>{use}</small>
        {formerValidUntil !== null && (
          <small>
            The old key is valid until <When at={formerValidUntil} />.
          </small>
        )}
      </span>
      {mayChange && formerValidUntil !== null && <EndFormer kind={kind} home={home} />}
      {mayChange && (
        <Ask
          label={`Rotate ${kind} key`}
          action={`${home}/keys`}
          loss={loss}
          button={`Create a new ${kind} key`}
        >
          <input type="hidden" name="kind" value={kind} />
          <Grace />
        </Ask>
      )}
    </li>
  );
};

const Grace = () => (
  <label>
    The present key
    <select name="graceHours">
      <option value="0">ends now</option>
      <option value="1">works for one hour</option>
      <option value="24">works for a day</option>
      <option value="72">works for three days</option>
    </select>
  </label>
);

const EndFormer = ({ kind, home }: { kind: KeyKind; home: string }) => (
  <form method="post" action={`${home}/keys/end`}>
    <button class="quiet" name="kind" value={kind}>End the old {kind} key now</button>
  </form>
);
