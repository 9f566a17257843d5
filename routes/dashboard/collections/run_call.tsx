import { areaText } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { needs, takes } from "../../reference/samples.ts";
import type { CollectionOperation } from "./collection_operations.ts";

/** Those whose answer has an end. */
const RUNNABLE: Readonly<Record<string, boolean>> = {
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

/**
 * Sends the operation from the page, with the publishable key. What changes documents is behind a
 * word that opens, with what it does. Scripts show it; without them there is the line for a shell.
 */
export const RunCall = (
  { operation, apiKey, query }: CallProps & { apiKey: string },
) => {
  const { name, shown: { method, path } } = operation;
  if (RUNNABLE[name] !== true) return null;
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

const CallFields = ({ operation: { shown }, query }: CallProps) => {
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
      {takes(shown, "accessToken") && (
        <label>
          {needs(shown, "accessToken") ? t.token : t.tokenIfSignedIn}
          <input name="token" required={needs(shown, "accessToken")} autocomplete="off" />
        </label>
      )}
      {body !== null && (
        <label>
          {t.body}
          <textarea name="body" rows={8} spellcheck={false}>
            {areaText(JSON.stringify(body.content["application/json"]!.example, null, 2))}
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
