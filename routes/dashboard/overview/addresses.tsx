import type { Problem } from "@/lib/problems.ts";
import type { ProjectRecord } from "@/lib/projects/records.ts";
import { Hint, hintId, Refusal } from "../components/forms.tsx";
import { SiteUrlForm } from "../components/site_url_form.tsx";

/** An address that was refused, with what was typed. */
export interface RefusedAddress {
  readonly member: "siteUrl" | "allowedOrigins";
  readonly text: string;
  readonly problem: Problem;
}

/** Where the project's applications run. */
export const Addresses = (
  { project, home, refused, mayChange }: {
    project: ProjectRecord;
    home: string;
    refused: RefusedAddress | null;
    mayChange: boolean;
  },
) => (
  <article class="card">
    <h2>Addresses</h2>
    {mayChange ? <AddressForms {...{ project, home, refused }} /> : (
      <dl class="facts">
        <dt>Site URL</dt>
        <dd>{project.siteUrl ?? "none yet"}</dd>
        <dt>Allowed origins</dt>
        <dd>{project.allowedOrigins.length === 0 ? "all" : project.allowedOrigins.join(", ")}</dd>
      </dl>
    )}
  </article>
);

const AddressForms = (
  { project, home, refused }: {
    project: ProjectRecord;
    home: string;
    refused: RefusedAddress | null;
  },
) => {
  const of = (member: RefusedAddress["member"]) => refused?.member === member ? refused : null;
  return (
    <>
      <SiteUrlForm
        action={home}
        siteUrl={of("siteUrl")?.text ?? project.siteUrl}
        problem={of("siteUrl")?.problem ?? null}
      />
      <form method="post" action={home}>
        <Refusal problem={of("allowedOrigins")?.problem ?? null} />
        <label>
          Allowed origins, one on each line
          <textarea name="allowedOrigins" rows={3} aria-describedby={hintId("allowedOrigins")}>
            {of("allowedOrigins")?.text ?? project.allowedOrigins.join("\n")}
          </textarea>
        </label>
        <Hint of="allowedOrigins">
          If any are listed, browsers may use the publishable key on these pages only, and on those
          of the Site URL.
        </Hint>
        <button>Save origins</button>
      </form>
    </>
  );
};
