import { areaHtml } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { acceptsScheme, requiresScheme } from "../../reference/samples.ts";
import type { CollectionOperation } from "./collection_operations.ts";

/** Operations whose response ends. */
const RUNNABLE_OPERATIONS: Readonly<Record<string, boolean>> = {
  List: true,
  Aggregate: true,
  Get: true,
  Create: true,
  CreateMany: true,
  Replace: true,
  Patch: true,
  Delete: true,
  Recover: true,
};

interface CallProps {
  readonly operation: CollectionOperation;
  readonly query: Readonly<Record<string, string>>;
}

/** Form that sends the operation. Hidden without scripts; changes are collapsed with a warning. */
export const RunCall = (
  { operation, apiKey, query }: CallProps & { apiKey: string },
) => {
  const { name, reference: { method, path } } = operation;
  if (RUNNABLE_OPERATIONS[name] !== true) return null;
  const t = texts().collections.run;
  const fields = <CallFields operation={operation} query={query} />;
  return (
    <run-call
      method={method}
      path={path}
      key={apiKey}
      data-sending={t.sending}
      data-answered={t.answered("{status}", "{ms}", "{requestId}")}
      data-failed={t.failed("{why}")}
    >
      {method === "GET"
        ? (
          <form>
            {fields}
            <button>{t.label}</button>
          </form>
        )
        : (
          <details class="ask">
            <summary>{t.label}</summary>
            <form>
              <p>{t.loss}</p>
              {fields}
              <button class="danger">{t.submit}</button>
            </form>
          </details>
        )}
      <output aria-live="polite"></output>
      <pre hidden tabindex={0} role="group" aria-label={t.answer}><code></code></pre>
    </run-call>
  );
};

const CallFields = ({ operation: { reference: shown }, query }: CallProps) => {
  const { method, path, body } = shown;
  const t = texts().collections.run;
  return (
    <>
      {path.includes("{id}") && (
        <label>
          {t.documentId}
          <input name="id" required pattern="[0-9a-fA-F]{24}" autocomplete="off" />
        </label>
      )}
      {method === "GET" && (
        <label>
          {t.query}
          <input name="query" value={new URLSearchParams(query).toString()} autocomplete="off" />
        </label>
      )}
      {acceptsScheme(shown, "accessToken") && (
        <label>
          {requiresScheme(shown, "accessToken") ? t.token : t.tokenIfSignedIn}
          <input name="token" required={requiresScheme(shown, "accessToken")} autocomplete="off" />
        </label>
      )}
      {body !== null && (
        <label>
          {t.body}
          <textarea name="body" rows={8} spellcheck={false}>
            {areaHtml(JSON.stringify(body.content["application/json"]!.example, null, 2))}
          </textarea>
        </label>
      )}
    </>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "run-call": {
        method: string;
        path: string;
        key: string;
        "data-sending": string;
        "data-answered": string;
        "data-failed": string;
        children?: unknown;
      };
    }
  }
}
