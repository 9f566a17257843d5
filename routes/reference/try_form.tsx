import type { Parameter, ShownOperation } from "./document.ts";
import { exampleKey, exampleOf, needs, takes } from "./samples.ts";
import { KeyField, KeyHint } from "./start_page.tsx";

/** Sends the operation from the page. Scripts show it; without them there are the samples. */
export const TryForm = ({ operation }: { operation: ShownOperation }) => {
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

const Credentials = ({ operation }: { operation: ShownOperation }) => {
  const takesKey = takes(operation, "apiKey") || takes(operation, "apiKeyInQuery");
  return (
    <>
      {takesKey && (
        <>
          <KeyField value={exampleKey(operation)} />
          <KeyHint />
        </>
      )}
      {takes(operation, "accessToken") && (
        <label>
          Access token{needs(operation, "accessToken") ? "" : " (if a user is signed in)"}
          <input name="access-token" data-token autocomplete="off" spellcheck={false} />
        </label>
      )}
      {takes(operation, "dashboardSession") && (
        <p class="hint">
          Your browser sends the session of the <a href="/dashboard">dashboard</a> by itself.
        </p>
      )}
      {takes(operation, "accountToken") && (
        <label>
          Personal access token (in the place of a session)
          <input name="account-token" data-token autocomplete="off" spellcheck={false} />
        </label>
      )}
    </>
  );
};

/** A parameter that any name may stand for is written as it stands in the address. */
const isOpen = ({ schema }: Parameter): boolean => schema.type === "object";

const ParameterField = ({ parameter }: { parameter: Parameter }) => (
  <label>
    <span>
      <code>{parameter.name}</code> {parameter.in}
      {parameter.required && ", required"}
      {isOpen(parameter) && ", as in an address: status=draft&views_gt=5"}
    </span>
    <input
      name={parameter.name}
      value={parameter.required ? exampleOf(parameter) : ""}
      required={parameter.in === "path"}
      data-in={parameter.in}
      data-open={isOpen(parameter)}
      autocomplete="off"
      spellcheck={false}
    />
  </label>
);
