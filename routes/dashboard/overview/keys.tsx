import type { BrowserUse, KeyKind } from "@/lib/projects/api_keys.ts";
import type { RotatedKey } from "@/lib/projects/rotate_key.ts";
import type { KeyDetails } from "@/lib/projects/list_keys.ts";
import { ConfirmForm, CopyField } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

interface KeysProps {
  readonly home: string;
  readonly keys: readonly KeyDetails[];
  readonly seenInBrowser: BrowserUse | null;
  readonly fresh: RotatedKey | null;
  readonly canChange: boolean;
}

export const Keys = ({ home, keys, seenInBrowser, fresh, canChange }: KeysProps) => {
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
      {fresh !== null && <NewKey fresh={fresh} />}
      <ul class="rows">
        {keys.map((key) => <KeyRow details={key} home={home} canChange={canChange} />)}
      </ul>
    </article>
  );
};

/** A new key. A secret key is shown only in this reply. */
const NewKey = ({ fresh: { kind, key, formerValidUntil } }: { fresh: RotatedKey }) => {
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
  { details: { kind, start, createdAt, formerValidUntil }, home, canChange }: {
    details: KeyDetails;
    home: string;
    canChange: boolean;
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
      {canChange && formerValidUntil !== null && <EndFormerKey kind={kind} home={home} />}
      {canChange && (
        <ConfirmForm label={rotate} action={`${home}/keys`} loss={loss} button={create}>
          <input type="hidden" name="kind" value={kind} />
          <GracePeriodField />
        </ConfirmForm>
      )}
    </li>
  );
};

const GracePeriodField = () => {
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

const EndFormerKey = ({ kind, home }: { kind: KeyKind; home: string }) => {
  const { endOld } = texts().overview.keys.kinds[kind];
  return (
    <ConfirmForm
      label={endOld.ask}
      loss={endOld.loss}
      action={`${home}/keys/end`}
      button={endOld.now}
    >
      <input type="hidden" name="kind" value={kind} />
    </ConfirmForm>
  );
};
