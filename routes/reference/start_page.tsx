import { EXAMPLE_KEYS, GUIDES, INTRODUCTION } from "@/openapi/introduction.ts";
import {
  Code,
  Frame,
  Method,
  OPERATION_GROUPS,
  operationPath,
  Search,
  tagAnchor,
} from "./frame.tsx";
import { markdown } from "./markdown.ts";

export const StartPage = ({ publicUrl }: { publicUrl: string }) => (
  <Frame title="API reference" current="/docs">
    <h1>API reference</h1>
    {markdown(INTRODUCTION)}
    <p>
      <a href="/docs/errors">Errors</a> lists every <code>code</code>, its cause, and what to do.
    </p>
    <KeySection publicUrl={publicUrl} />
    <GuideList />
    <OperationList />
  </Frame>
);

export const KeyField = ({ value }: { value: string }) => (
  <label>
    API key
    <input
      name="x-api-key"
      value={value}
      data-key
      autocomplete="off"
      spellcheck={false}
      aria-describedby="key-hint"
    />
  </label>
);

export const KeyHint = () => (
  <p class="hint" id="key-hint">
    <strong data-example-note>This key is an example.</strong>{" "}
    Paste your project's publishable key, from its page in the{" "}
    <a href="/dashboard">dashboard</a>: the samples then carry it. It is kept in this tab; a secret
    key is forgotten with the page.
  </p>
);

const KeySection = ({ publicUrl }: { publicUrl: string }) => (
  <section aria-labelledby="key">
    <h2 id="key">Your key</h2>
    <p>
      The address of this server is <code>{publicUrl}</code>. Requests carry a key of their project:
    </p>
    <form class="keys">
      <KeyField value={EXAMPLE_KEYS.publishable} />
      <KeyHint />
    </form>
    <Code
      label="A first request"
      text={`curl '${publicUrl}/api/data/posts?limit=3' \\\n  -H 'x-api-key: ${EXAMPLE_KEYS.publishable}'`}
      apiKey={EXAMPLE_KEYS.publishable}
    />
  </section>
);

const GuideList = () => (
  <section aria-labelledby="guides">
    <h2 id="guides">Guides</h2>
    <div class="guides">
      {Object.entries(GUIDES).map(([group, guides]) => (
        <div>
          <h3>{group}</h3>
          <ul>
            {guides.map(({ name, title, about }) => (
              <li>
                <a href={`/docs/guides/${name}`}>{title}</a> <span>{about}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  </section>
);

const OperationList = () => (
  <section aria-labelledby="operations">
    <h2 id="operations">Operations</h2>
    <Search what="operations" />
    {OPERATION_GROUPS.map(({ group, tags }) => (
      <div class="group" data-group>
        <h3>{group}</h3>
        {tags.map(({ tag, about, operations }) => (
          <section class="tag" data-tag aria-labelledby={tagAnchor(tag)}>
            <h4 id={tagAnchor(tag)}>{tag}</h4>
            <p class="hint">{about}</p>
            <ul class="operations">
              {operations.map(({ operationId, method, path, summary }) => (
                <li data-operation={operationId}>
                  <a href={operationPath(operationId)}>
                    <Method method={method} />
                    <span class="summary">{summary}</span>
                    <code>{path}</code>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    ))}
  </section>
);
