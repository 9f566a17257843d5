import type { CheckResult, StorageCheck } from "@/lib/files/check_storage.ts";
import type { Problem } from "@/lib/problems.ts";
import { Copy } from "../components/copy.tsx";
import { Refusal } from "../components/forms.tsx";

export const CheckCard = ({ path, problem }: { path: string; problem: Problem | null }) => (
  <article class="card">
    <h2>Check</h2>
    <p>
      Does in the bucket all that an upload does, as Corbel, as a browser and as a stranger. It
      leaves nothing there and takes a few seconds.
    </p>
    <Refusal problem={problem} />
    <form method="post" action={`${path}/check`}>
      <button class="quiet">Check the bucket</button>
    </form>
  </article>
);

const BADGES: Readonly<Record<CheckResult, string>> = {
  ok: "badge on",
  warning: "badge warn",
  failed: "badge bad",
  skipped: "badge",
};

export const CheckResultCard = ({ check }: { check: StorageCheck }) => (
  <article class="card">
    <h2>What the check found</h2>
    <p class={check.ok ? "note good" : "note bad"} role="status">
      {check.ok ? "The bucket works." : "The bucket does not work yet: see what failed."}
    </p>
    <ol class="steps">
      {check.steps.map(({ step, result, message }) => (
        <li>
          <span class={BADGES[result]}>{result}</span> <b>{step}</b>
          <p>{message}</p>
        </li>
      ))}
    </ol>
    <Rules title="CORS rules for the bucket" value={check.corsRules} />
    <Rules title="Policy for the bucket" value={check.bucketPolicy} />
  </article>
);

const Rules = ({ title, value }: { title: string; value: unknown }) => {
  const text = JSON.stringify(value, null, 2);
  return (
    <details class="reveal">
      <summary>{title}</summary>
      <pre tabindex={0}><code>{text}</code></pre>
      <Copy text={text} />
    </details>
  );
};
