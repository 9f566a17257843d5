import type { StorageSettings } from "@/lib/files/storage_settings.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Json } from "@/lib/store/port.ts";
import { Ask, Field, Refusal } from "../components/forms.tsx";

/** What stands in the form. Keys are never sent back. */
export interface Entered {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly pathStyle: string;
  readonly publicUrl: string;
}

export const NOT_SET: Entered = {
  endpoint: "",
  region: "",
  bucket: "",
  pathStyle: "",
  publicUrl: "",
};

export const shownAs = (settings: StorageSettings): Entered => ({
  endpoint: settings.endpoint ?? "",
  region: settings.region,
  bucket: settings.bucket,
  pathStyle: settings.pathStyle ? "path" : "host",
  publicUrl: settings.publicUrl ?? "",
});

const textOf = (form: URLSearchParams, name: string): string => (form.get(name) ?? "").trim();

export const enteredOf = (form: URLSearchParams): Entered => ({
  endpoint: textOf(form, "endpoint"),
  region: textOf(form, "region"),
  bucket: textOf(form, "bucket"),
  pathStyle: textOf(form, "pathStyle"),
  publicUrl: textOf(form, "publicUrl"),
});

/** As the operation takes it: what is empty is left out. */
export function bodyOf(form: URLSearchParams): Json {
  const { pathStyle, ...texts } = enteredOf(form);
  const keys = {
    accessKeyId: textOf(form, "accessKeyId"),
    secretAccessKey: textOf(form, "secretAccessKey"),
  };
  const given = Object.entries({ ...texts, ...keys }).filter(([, text]) => text !== "");
  return {
    ...Object.fromEntries(given),
    ...(pathStyle !== "" && { pathStyle: pathStyle === "path" }),
  };
}

const STYLES = {
  "": "as usual: in the path, for AWS in the host",
  path: "in the path",
  host: "in the host",
} as const;

export const StorageForm = (
  { path, entered, hasKeys }: { path: string; entered: Entered; hasKeys: boolean },
) => {
  const keep = hasKeys ? { placeholder: "stored, leave empty to keep" } : {};
  return (
    <form method="post" action={path}>
      <Field
        label="Endpoint"
        name="endpoint"
        value={entered.endpoint}
        hint="The address of the store. Empty for AWS."
        autocomplete="off"
      />
      <Field label="Bucket" name="bucket" value={entered.bucket} autocomplete="off" required />
      <Field
        label="Region"
        name="region"
        value={entered.region}
        hint="AWS needs it. Other stores mostly take any."
        autocomplete="off"
      />
      <label>
        The bucket's name in addresses
        <select name="pathStyle">
          {Object.entries(STYLES).map(([value, says]) => (
            <option value={value} {...(value === entered.pathStyle && { selected: true })}>
              {says}
            </option>
          ))}
        </select>
      </label>
      <Field
        label="Public URL"
        name="publicUrl"
        value={entered.publicUrl}
        hint="Where everybody can read the bucket. Without it files have no address."
        autocomplete="off"
      />
      <Field
        label="Access key ID"
        name="accessKeyId"
        type="password"
        autocomplete="off"
        {...keep}
      />
      <Field
        label="Secret access key"
        name="secretAccessKey"
        type="password"
        autocomplete="new-password"
        {...keep}
      />
      <button>Save</button>
    </form>
  );
};

/** For who may only look. */
export const StorageFacts = ({ settings }: { settings: StorageSettings }) => (
  <dl class="facts">
    <dt>Endpoint</dt>
    <dd class="mono">{settings.endpoint ?? "AWS"}</dd>
    <dt>Bucket</dt>
    <dd class="mono">{settings.bucket}</dd>
    <dt>Region</dt>
    <dd class="mono">{settings.region}</dd>
    <dt>Public URL</dt>
    <dd class="mono">{settings.publicUrl ?? "none"}</dd>
    <dt>Keys</dt>
    <dd>stored</dd>
  </dl>
);

export const ClearCard = ({ path, problem }: { path: string; problem: Problem | null }) => (
  <article class="card">
    <h2>Disconnect the bucket</h2>
    <p>New files go to Corbel's storage again. It is refused while files are in the bucket.</p>
    <Refusal problem={problem} />
    <Ask
      label="Disconnect"
      loss="The address of the bucket and its keys are forgotten. What is in the bucket stays there."
      action={`${path}/clear`}
      button="Disconnect the bucket"
    />
  </article>
);
