import type { Audience } from "@/openapi/project/operations.ts";
import type { Parameter, Schema } from "../../reference/document.ts";
import { markdown } from "../../reference/markdown.ts";
import { AnswerView, BodyView, Parameters, Refusals } from "../../reference/operation_page.tsx";
import { type Call, exampleCall, samplesOf } from "../../reference/samples.ts";
import { PageSchemas } from "../../reference/schema_view.tsx";
import { Snippet } from "../components/snippet.tsx";
import { texts } from "../texts/mod.ts";
import { clientCall } from "./client_call.ts";
import { type CollectionOperation, parametersOf } from "./collection_operations.ts";
import { RunCall } from "./run_call.tsx";

interface ApiOperationProps {
  readonly operation: CollectionOperation;
  readonly collectionName: string;
  readonly audience: Audience;
  readonly serverUrl: string;
  readonly apiKey: string;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  List: { sort: "-createdAt", limit: "20" },
  Aggregate: { count: "true" },
};

export const ApiOperation = (
  { operation, collectionName, audience, serverUrl, apiKey, ...document }: ApiOperationProps,
) => {
  const schemas = new PageSchemas(document.schemas);
  const { reference: shown, name } = operation;
  const query = QUERIES[name] ?? {};
  const call = exampleCall(shown, { serverUrl, key: apiKey, query });
  const { own, filters } = parametersOf(operation);
  const t = texts().collections.api;
  return (
    <>
      <article class="card">
        <h2>{shown.summary}</h2>
        <p>
          <b>{shown.method}</b> <code>{shown.path}</code>
        </p>
        {markdown(shown.description)}
        <Samples call={call} name={name} collectionName={collectionName} />
        {audience === "client" && <RunCall operation={operation} apiKey={apiKey} query={query} />}
      </article>
      <article class="card api-parts">
        {own.length > 0 && <Parameters parameters={own} schemas={schemas} />}
        {filters.length > 0 && <Filters filters={filters} />}
        {shown.body !== null && <BodyView body={shown.body} schemas={schemas} />}
        <h2>{t.answers}</h2>
        {shown.successes.map((one) => <AnswerView answer={one} schemas={schemas} />)}
        <details>
          <summary>{t.refusals(shown.refusals.flatMap(({ codes }) => codes).length)}</summary>
          <Refusals operation={shown} schemas={schemas} />
        </details>
      </article>
    </>
  );
};

const Samples = (
  { call, name, collectionName }: { call: Call; name: string; collectionName: string },
) => {
  const [curl, ...others] = samplesOf(call);
  const client = clientCall(name, { collectionName, body: bodyOf(call) });
  const rest = [
    ...others.map(({ language, text }) => ({
      language: language === "JavaScript" ? "fetch" : language,
      text,
    })),
    ...(client === null ? [] : [{ language: texts().collections.api.client, text: client }]),
  ];
  return (
    <>
      <Snippet label={curl!.language} text={curl!.text} />
      {rest.map(({ language, text }) => (
        <details>
          <summary>{language}</summary>
          <Snippet label={language} text={text} />
        </details>
      ))}
    </>
  );
};

const bodyOf = ({ body }: Call): unknown => body === null || body === "file" ? null : body.json;

const Filters = ({ filters }: { filters: readonly Parameter[] }) => (
  <details>
    <summary>{texts().collections.api.filters(filters.length)}</summary>
    <p class="names">
      {filters.map(({ name }) => (
        <>
          <code>{name}</code>
          {" "}
        </>
      ))}
    </p>
  </details>
);
