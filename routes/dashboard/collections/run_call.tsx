import { areaText } from "../components/forms.tsx";
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

/**
 * Sends the operation from the page, with the publishable key. What changes documents is behind a
 * word that opens, with what it does. Scripts show it; without them there is the line for a shell.
 */
export const RunCall = (
  { operation: { name, shown }, apiKey, query }: {
    operation: CollectionOperation;
    apiKey: string;
    query: Readonly<Record<string, string>>;
  },
) => {
  if (RUNNABLE[name] !== true) return null;
  const { method, path, body } = shown;
  const fields = (
    <>
      {path.includes("{id}") && (
        <label>
          Document id
          <input name="id" required pattern="[0-9a-fA-F]{24}" autocomplete="off" />
        </label>
      )}
      {method === "GET" && (
        <label>
          Query
          <input name="query" value={new URLSearchParams(query).toString()} autocomplete="off" />
        </label>
      )}
      {takes(shown, "accessToken") && (
        <label>
          Access token{needs(shown, "accessToken") ? "" : ", if a user is signed in"}
          <input name="token" required={needs(shown, "accessToken")} autocomplete="off" />
        </label>
      )}
      {body !== null && (
        <label>
          Body
          <textarea name="body" rows={8} spellcheck={false}>
            {areaText(JSON.stringify(body.content["application/json"]!.example, null, 2))}
          </textarea>
        </label>
      )}
    </>
  );
  return (
    <run-call method={method} path={path} key={apiKey}>
      {method === "GET"
        ? (
          <form>
            {fields}
            <button>Run it</button>
          </form>
        )
        : (
          <details class="ask">
            <summary>Run it</summary>
            <form>
              <p>This changes documents of the project.</p>
              {fields}
              <button class="danger">Run it on the project's documents</button>
            </form>
          </details>
        )}
      <output aria-live="polite"></output>
      <pre hidden tabindex={0} role="group" aria-label="The answer"><code></code></pre>
    </run-call>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "run-call": { method: string; path: string; key: string; children?: unknown };
    }
  }
}
