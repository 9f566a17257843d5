import type { StorageSettings } from "@/lib/files/storage_settings.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { ConfirmForm, Field, Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";

/** Values of the form. Keys are never sent back. */
export interface EnteredStorage {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly pathStyle: string;
  readonly publicUrl: string;
}

export const NO_STORAGE: EnteredStorage = {
  endpoint: "",
  region: "",
  bucket: "",
  pathStyle: "",
  publicUrl: "",
};

export const toEntered = (settings: StorageSettings): EnteredStorage => ({
  endpoint: settings.endpoint ?? "",
  region: settings.region,
  bucket: settings.bucket,
  pathStyle: settings.pathStyle ? "path" : "host",
  publicUrl: settings.publicUrl ?? "",
});

const fieldText = (form: URLSearchParams, name: string): string => (form.get(name) ?? "").trim();

export const readEntered = (form: URLSearchParams): EnteredStorage => ({
  endpoint: fieldText(form, "endpoint"),
  region: fieldText(form, "region"),
  bucket: fieldText(form, "bucket"),
  pathStyle: fieldText(form, "pathStyle"),
  publicUrl: fieldText(form, "publicUrl"),
});

/** Returns the input of the operation, without empty fields. */
export function toStorageInput(form: URLSearchParams): Json {
  const { pathStyle, ...texts } = readEntered(form);
  const keys = {
    accessKeyId: fieldText(form, "accessKeyId"),
    secretAccessKey: fieldText(form, "secretAccessKey"),
  };
  const given = Object.entries({ ...texts, ...keys }).filter(([, text]) => text !== "");
  return {
    ...Object.fromEntries(given),
    ...(pathStyle !== "" && { pathStyle: pathStyle === "path" }),
  };
}

const STYLES = ["", "path", "host"] as const;

export const StorageForm = (
  { path, entered, hasKeys }: { path: string; entered: EnteredStorage; hasKeys: boolean },
) => {
  const t = texts().files.storage;
  return (
    <form method="post" action={path}>
      <Field
        label={t.endpoint}
        name="endpoint"
        value={entered.endpoint}
        hint={t.endpointHint}
        autocomplete="off"
      />
      <Field label={t.bucket} name="bucket" value={entered.bucket} autocomplete="off" required />
      <Field
        label={t.region}
        name="region"
        value={entered.region}
        hint={t.regionHint}
        autocomplete="off"
      />
      <label>
        {t.pathStyle}
        <select name="pathStyle">
          {STYLES.map((value) => (
            <option value={value} selected={value === entered.pathStyle}>
              {t.pathStyles[value]}
            </option>
          ))}
        </select>
      </label>
      <Field
        label={t.publicUrl}
        name="publicUrl"
        value={entered.publicUrl}
        hint={t.publicUrlHint}
        autocomplete="off"
      />
      <Keys hasKeys={hasKeys} />
      <button>{texts().shared.save}</button>
    </form>
  );
};

const Keys = ({ hasKeys }: { hasKeys: boolean }) => {
  const t = texts().files.storage;
  const keep = hasKeys ? { placeholder: t.keepKey } : {};
  return (
    <>
      <Field
        label={t.accessKeyId}
        name="accessKeyId"
        type="password"
        autocomplete="off"
        {...keep}
      />
      <Field
        label={t.secretAccessKey}
        name="secretAccessKey"
        type="password"
        autocomplete="new-password"
        {...keep}
      />
    </>
  );
};

export const StorageFacts = ({ settings }: { settings: StorageSettings }) => {
  const t = texts().files.storage;
  return (
    <dl class="facts">
      <dt>{t.endpoint}</dt>
      <dd class="mono">{settings.endpoint ?? "AWS"}</dd>
      <dt>{t.bucket}</dt>
      <dd class="mono">{settings.bucket}</dd>
      <dt>{t.region}</dt>
      <dd class="mono">{settings.region}</dd>
      <dt>{t.publicUrl}</dt>
      <dd class="mono">{settings.publicUrl ?? t.noPublicUrl}</dd>
      <dt>{t.keys}</dt>
      <dd>{t.keysStored}</dd>
    </dl>
  );
};

export const ClearCard = ({ path, problem }: { path: string; problem: Problem | null }) => {
  const t = texts().files.storage.disconnect;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={problem} />
      <ConfirmForm label={t.label} loss={t.loss} action={`${path}/clear`} button={t.submit} />
    </article>
  );
};
