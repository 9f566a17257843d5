import type { Problem } from "@/lib/problems.ts";
import { texts } from "../texts/mod.ts";
import { Field, Refusal } from "./forms.tsx";

/** Returns the trimmed Site URL, or null for an empty field. */
export const parseSiteUrl = (text: string): string | null => text.trim() || null;

interface Props {
  readonly action: string;
  readonly siteUrl: string | null;
  readonly problem: Problem | null;
}

const SAMPLE = "https://blog.example";

export const SiteUrlForm = ({ action, siteUrl, problem }: Props) => {
  const t = texts().shared.siteUrl;
  return (
    <form method="post" action={action}>
      <Refusal problem={problem} />
      <Field
        label={t.label}
        name="siteUrl"
        value={siteUrl ?? ""}
        placeholder={SAMPLE}
        hint={t.hint}
      />
      <button>{t.save}</button>
    </form>
  );
};
