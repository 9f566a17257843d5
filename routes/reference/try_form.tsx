import type { Parameter, ReferenceOperation } from "./document.ts";
import { acceptsScheme, exampleKey, exampleOf, requiresScheme } from "./samples.ts";
import { KeyField, KeyHint } from "./start_page.tsx";

/** Form that sends the operation from the page. Hidden until the script shows it. */
export const TryForm = ({ operation }: { operation: ReferenceOperation }) => {
  const { method, path, parameters, body } = operation;
  const json = body?.content["application/json"];
  return (
    <section aria-labelledby="try" data-try hidden>
      <h2 id="try">Try it</h2>
      <form data-method={method} data-path={path}>
        <Credentials operation={operation} />
        {parameters.map((one) => <ParameterField parameter={one} />)}
        {json !== undefined && (
          <label>
            Body
            <textarea name="body" rows={8} spellcheck={false}>
              {JSON.stringify(json.example, null, 2)}
            </textarea>
          </label>
        )}
        {body !== null && json === undefined && (
          <label>
            File
            <input type="file" name="file" />
          </label>
        )}
        <p>
          <button>Send</button> <button type="button" class="quiet" data-stop hidden>Stop</button>
        </p>
      </form>
      <div data-answer hidden>
        <p aria-live="polite" data-status></p>
        <pre tabindex={0} role="group" aria-label="The answer"><code data-text></code></pre>
      </div>
    </section>
  );
};

const Credentials = ({ operation }: { operation: ReferenceOperation }) => {
  const takesKey = acceptsScheme(operation, "apiKey") || acceptsScheme(operation, "apiKeyInQuery");
  return (
    <>
      {takesKey && (
        <>
          <KeyField value={exampleKey(operation)} />
          <KeyHint />
        </>
      )}
      {acceptsScheme(operation, "accessToken") && (
        <label>
          Access token{requiresScheme(operation, "accessToken") ? "" : " (if a user is signed in)"}
          <input name="access-token" data-token autocomplete="off" spellcheck={false} />
        </label>
      )}
      {acceptsScheme(operation, "dashboardSession") && (
        <p class="hint">
          Your browser sends the session of the <a href="/dashboard">dashboard</a> by itself.
        </p>
      )}
      {acceptsScheme(operation, "accountToken") && (
        <label>
          Personal access token (instead of a session)
          <input name="account-token" data-token autocomplete="off" spellcheck={false} />
        </label>
      )}
    </>
  );
};

/** Whether a parameter accepts any names, which the reader enters as a query string. */
const acceptsAnyName = ({ schema }: Parameter): boolean => schema.type === "object";

const ParameterField = ({ parameter }: { parameter: Parameter }) => (
  <label>
    <span>
      <code>{parameter.name}</code> {parameter.in}
      {parameter.required && ", required"}
      {acceptsAnyName(parameter) && ", as in an address: status=draft&views_gt=5"}
    </span>
    <input
      name={parameter.name}
      value={parameter.required ? exampleOf(parameter) : ""}
      required={parameter.in === "path"}
      data-in={parameter.in}
      data-open={acceptsAnyName(parameter)}
      autocomplete="off"
      spellcheck={false}
    />
  </label>
);
