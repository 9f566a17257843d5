import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";
import { countWithNoun } from "@/lib/text/amounts.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { PROBLEM_GROUPS, problemAnchor } from "@/openapi/error_catalogue.ts";
import { Frame, operationPath, Search } from "./frame.tsx";
import { inlineMarkdown, markdown } from "./markdown.ts";

/** The page of all problems. @param introduction Introduction of docs/errors.md, as Markdown. */
export const ErrorsPage = ({ introduction }: { introduction: string }) => (
  <Frame title="Errors" current="/docs/errors">
    {markdown(introduction)}
    <Search what="errors" />
    {PROBLEM_GROUPS.map(({ status, name, codes }) => (
      <section data-group>
        <h2 id={String(status)}>{`${status} ${name}`}</h2>
        {codes.map((code) => <ProblemEntry code={code} />)}
      </section>
    ))}
  </Frame>
);

const ProblemEntry = ({ code }: { code: ProblemCode }) => {
  const { message, when, remedy } = PROBLEMS[code];
  const operations = CONTRACTS.filter(({ codes }) => codes.includes(code));
  return (
    <article class="problem" data-operation={code}>
      <h3 id={problemAnchor(code)}>
        <a href={`#${problemAnchor(code)}`}>{code}</a>
      </h3>
      <blockquote>{message}</blockquote>
      <p>
        <strong>Cause.</strong> {inlineMarkdown(when)}
      </p>
      <p>
        <strong>What to do.</strong> {inlineMarkdown(remedy)}
      </p>
      <OperationsWithProblem operations={operations} />
    </article>
  );
};

/** Maximum number of operations that a problem lists. */
const LISTED_MAX = 15;

const OperationsWithProblem = ({ operations }: { operations: typeof CONTRACTS }) => {
  if (operations.length === 0) return null;
  const { length } = operations;
  if (length === CONTRACTS.length) return <p class="hint">Of every operation.</p>;
  if (length > LISTED_MAX) return <p class="hint">Of {length} operations.</p>;
  return (
    <details>
      <summary>
        Of {countWithNoun(length, "operation")}
      </summary>
      <ul>
        {operations.map(({ operationId, summary }) => (
          <li>
            <a href={operationPath(operationId)}>{summary}</a>
          </li>
        ))}
      </ul>
    </details>
  );
};
