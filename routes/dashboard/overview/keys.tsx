import type { BrowserUse, KeyKind } from "@/lib/projects/api_keys.ts";
import type { RotatedKey } from "@/lib/projects/rotate_key.ts";
import type { ShownKey } from "@/lib/projects/shown_keys.ts";
import { Ask, CopyField } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

interface KeysProps {
  readonly home: string;
  readonly keys: readonly ShownKey[];
  readonly seenInBrowser: BrowserUse | null;
  readonly fresh: RotatedKey | null;
  readonly mayChange: boolean;
}

export const Keys = ({ home, keys, seenInBrowser, fresh, mayChange }: KeysProps) => {
  const publishableKey = keys.find(({ kind }) => kind === "publishable")?.key ?? null;
  const t = texts().overview.keys;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {publishableKey !== null && (
        <CopyField label={t.kinds.publishable.label} value={publishableKey} />
      )}
      <p>{t.about}</p>
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
  const { newPublishable, newSecret } = texts().overview.keys;
  const { oldRefused, oldWorksUntil } = kind === "publishable" ? newPublishable : newSecret;
  const sentences = formerValidUntil === null
    ? oldRefused
    : oldWorksUntil(<When at={formerValidUntil} />);
  return kind === "publishable"
    ? <p class="note good" role="status">{sentences}</p>
    : (
      <div class="note good" role="status">
        <CopyField label={newSecret.label} value={key} />
        <span>{sentences}</span>
      </div>
    );
};

const KeyInBrowser = ({ origin, at }: BrowserUse) => (
  <p class="note bad">
    {texts().overview.keys.seenInBrowser(<code>{origin}</code>, <When at={at} />)}
  </p>
);

const KeyRow = (
  { shown: { kind, start, createdAt, formerValidUntil }, home, mayChange }: {
    shown: ShownKey;
    home: string;
    mayChange: boolean;
  },
) => {
  const t = texts().overview.keys;
  const { label, use, loss, rotate, create } = t.kinds[kind];
  return (
    <li>
      <span class="grow">
        <b>{label}</b> {start !== null && (
          <>
            <code>{start}…</code>
            {" "}
          </>
        )}
        <span class="muted">{t.made(<When at={createdAt} />)}</span>
        <small>{use}</small>
        {formerValidUntil !== null && (
          <small>{t.oldValidUntil(<When at={formerValidUntil} />)}</small>
        )}
      </span>
      {mayChange && formerValidUntil !== null && <EndFormer kind={kind} home={home} />}
      {mayChange && (
        <Ask label={rotate} action={`${home}/keys`} loss={loss} button={create}>
          <input type="hidden" name="kind" value={kind} />
          <Grace />
        </Ask>
      )}
    </li>
  );
};

const Grace = () => {
  const { label, hours } = texts().overview.keys.grace;
  return (
    <label>
      {label}
      <select name="graceHours">
        {Object.entries(hours).map(([value, words]) => <option value={value}>{words}</option>)}
      </select>
    </label>
  );
};

const EndFormer = ({ kind, home }: { kind: KeyKind; home: string }) => {
  const { endOld } = texts().overview.keys.kinds[kind];
  return (
    <Ask label={endOld.ask} loss={endOld.loss} action={`${home}/keys/end`} button={endOld.now}>
      <input type="hidden" name="kind" value={kind} />
    </Ask>
  );
};
