import type { CheckResult, StorageCheck } from "@/lib/files/check_storage.ts";
import type { Problem } from "@/lib/problems.ts";
import { Copy } from "../components/copy.tsx";
import { Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";

export const CheckCard = ({ path, problem }: { path: string; problem: Problem | null }) => {
  const t = texts().files.check;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={problem} />
      <form method="post" action={`${path}/check`}>
        <button class="quiet">{t.submit}</button>
      </form>
    </article>
  );
};

const BADGES: Readonly<Record<CheckResult, string>> = {
  ok: "badge on",
  warning: "badge warn",
  failed: "badge bad",
  skipped: "badge",
};

export const CheckResultCard = ({ check }: { check: StorageCheck }) => {
  const t = texts().files.check;
  return (
    <article class="card">
      <h2>{t.found}</h2>
      <p class={check.ok ? "note good" : "note bad"} role="status">
        {check.ok ? t.works : t.fails}
      </p>
      <ol class="steps">
        {check.steps.map(({ step, result, message }) => (
          <li>
            <span class={BADGES[result]}>{t.results[result]}</span> <b>{step}</b>
            <p>{message}</p>
          </li>
        ))}
      </ol>
      <Rules title={t.corsRules} value={check.corsRules} />
      <Rules title={t.policy} value={check.bucketPolicy} />
    </article>
  );
};

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
