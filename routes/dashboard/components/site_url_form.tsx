import type { Problem } from "@/lib/problems.ts";
import { Field, Refusal } from "./forms.tsx";

/** What was typed as a Site URL; null where nothing was. */
export const siteUrlIn = (text: string): string | null => text.trim() || null;

interface Props {
  readonly action: string;
  readonly siteUrl: string | null;
  readonly problem: Problem | null;
}

/** Where the project's front end runs. */
export const SiteUrlForm = ({ action, siteUrl, problem }: Props) => (
  <form method="post" action={action}>
    <Refusal problem={problem} />
    <Field
      label="Site URL"
      name="siteUrl"
      value={siteUrl ?? ""}
      placeholder="https://blog.example"
      hint="Users come back to /auth/callback on this address after signing in."
    />
    <button>Save Site URL</button>
  </form>
);
