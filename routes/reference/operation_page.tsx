import { PROBLEMS } from "@/lib/problems.ts";
import { problemAnchor } from "@/openapi/error_catalogue.ts";
import { refTo } from "@/openapi/project/json_schema.ts";
import type { Answer, Body, Parameter, ReferenceDocument, ReferenceOperation } from "./document.ts";
import { Code, Frame, Method, operationPath, tagAnchor } from "./frame.tsx";
import { inlineMarkdown, markdown } from "./markdown.ts";
import { exampleKey, exampleOf, samples } from "./samples.ts";
import { PageSchemas, SchemaView, TypeLine } from "./schema_view.tsx";
import { TryForm } from "./try_form.tsx";

export const OperationPage = (
  { operation, document, serverUrl }: {
    operation: ReferenceOperation;
    document: ReferenceDocument;
    serverUrl: string;
  },
) => {
  const { operationId, method, path, tag, summary, description, parameters, body } = operation;
  const schemas = new PageSchemas(document.schemas);
  return (
    <Frame title={summary} current={operationPath(operationId)}>
      <p class="trail">
        <a href="/docs">Reference</a> / <a href={`/docs#${tagAnchor(tag)}`}>{tag}</a>
      </p>
      <h1>{summary}</h1>
      <p class="address">
        <Method method={method} /> <code>{path}</code> <span class="hint">{operationId}</span>
      </p>
      {markdown(description)}
      <Callers operation={operation} document={document} />
      <Samples operation={operation} serverUrl={serverUrl} />
      <TryForm operation={operation} />
      {parameters.length > 0 && <Parameters parameters={parameters} schemas={schemas} />}
      {body !== null && <BodyView body={body} schemas={schemas} />}
      <h2>Answers</h2>
      {operation.successes.map((one) => <AnswerView answer={one} schemas={schemas} />)}
      <Refusals operation={operation} schemas={schemas} />
    </Frame>
  );
};

const Callers = (
  { operation: { security }, document: { securitySchemes } }: {
    operation: ReferenceOperation;
    document: ReferenceDocument;
  },
) => {
  const schemes = [...new Set(security.flat())];
  return (
    <>
      <h2>Who may call it</h2>
      {security.length === 0 ? <p>Anyone, without a key.</p> : (
        <>
          <p>
            {security.map((together, i) => (
              <>
                {i > 0 && ", or "}
                {together.map((scheme, j) => (
                  <>
                    {j > 0 && " with "}
                    <code>{scheme}</code>
                  </>
                ))}
              </>
            ))}.
          </p>
          <ul>
            {schemes.map((scheme) => {
              const { name, in: place, description } = securitySchemes[scheme]!;
              return (
                <li>
                  <code>{scheme}</code>:{" "}
                  {place === undefined ? <code>Authorization: Bearer</code> : (
                    <>
                      {place} <code>{name}</code>
                    </>
                  )}. {inlineMarkdown(description)}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </>
  );
};

const Samples = (
  { operation, serverUrl }: { operation: ReferenceOperation; serverUrl: string },
) => (
  <section aria-labelledby="samples">
    <h2 id="samples">Samples</h2>
    {samples(operation, serverUrl).map(({ language, text }, i) => (
      <details open={i === 0}>
        <summary>{language}</summary>
        <Code label={language} text={text} apiKey={exampleKey(operation)} />
      </details>
    ))}
    <p class="hint">
      <a href={fullReferencePath(operation)}>More languages</a> are in the full reference.
    </p>
  </section>
);

/** Returns the address of the operation in Scalar's page. */
const fullReferencePath = ({ tag, method, path }: ReferenceOperation): string =>
  `/docs/full#tag/${tagAnchor(tag)}/${method}${path}`;

const PLACES = { path: "In the path", query: "In the query", header: "Headers" } as const;

export const Parameters = (
  { parameters, schemas }: { parameters: readonly Parameter[]; schemas: PageSchemas },
) => (
  <>
    <h2>Parameters</h2>
    {Object.entries(PLACES).map(([place, title]) => {
      const here = parameters.filter((one) => one.in === place);
      return here.length > 0 && (
        <>
          <h3>{title}</h3>
          <ul class="schema">
            {here.map((one) => (
              <li>
                <code class="name">{one.name}</code>{" "}
                <TypeLine schema={one.schema} schemas={schemas} required={one.required} />
                {(one.example ?? one.schema.example) !== undefined && (
                  <span>
                    example <code>{exampleOf(one)}</code>
                  </span>
                )}
                <div class="about">{markdown(one.description)}</div>
                <SchemaView schema={one.schema} schemas={schemas} />
              </li>
            ))}
          </ul>
        </>
      );
    })}
  </>
);

export const BodyView = ({ body, schemas }: { body: Body; schemas: PageSchemas }) => (
  <>
    <h2>Body</h2>
    {body.description !== undefined && markdown(body.description)}
    {!body.required && <p>It may be left out.</p>}
    <Contents contents={body.content} schemas={schemas} of="the body" />
  </>
);

export const AnswerView = ({ answer, schemas }: { answer: Answer; schemas: PageSchemas }) => (
  <section class="answer">
    <h3>{answer.status}</h3>
    {markdown(answer.description)}
    {Object.keys(answer.headers).length > 0 && (
      <ul>
        {Object.entries(answer.headers).map(([name, { description }]) => (
          <li>
            <code>{name}</code>: {inlineMarkdown(description)}
          </li>
        ))}
      </ul>
    )}
    {answer.content !== undefined && (
      <Contents contents={answer.content} schemas={schemas} of={`answer ${answer.status}`} />
    )}
  </section>
);

const shownExample = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example, null, 2);

const Contents = (
  { contents, schemas, of }: { contents: Body["content"]; schemas: PageSchemas; of: string },
) => (
  <>
    {Object.entries(contents).map(([type, { schema, example }]) => (
      <>
        <p>
          <code>{type}</code> <TypeLine schema={schema} schemas={schemas} />
        </p>
        <SchemaView schema={schema} schemas={schemas} />
        {example !== undefined && <Code label={`Example of ${of}`} text={shownExample(example)} />}
      </>
    ))}
  </>
);

export const Refusals = (
  { operation, schemas }: { operation: ReferenceOperation; schemas: PageSchemas },
) => (
  <section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    {operation.refusals.map(({ status, codes }) => (
      <>
        <h3>{status}</h3>
        <dl class="refusals">
          {codes.map((code) => (
            <>
              <dt>
                <a href={`/docs/errors#${problemAnchor(code)}`}>{code}</a>
              </dt>
              <dd>
                {inlineMarkdown(PROBLEMS[code].when)}{" "}
                <span class="hint">{inlineMarkdown(PROBLEMS[code].remedy)}</span>
              </dd>
            </>
          ))}
        </dl>
      </>
    ))}
    <details>
      <summary>The shape of a refusal</summary>
      <SchemaView
        schema={refTo(operation.path.startsWith("/api/storage/") ? "StorageRefusal" : "Refusal")}
        schemas={schemas}
      />
    </details>
  </section>
);
