import type { Problem } from "@/lib/problems.ts";
import type { ProjectRecord } from "@/lib/projects/records.ts";
import { Hint, hintId, Refusal } from "../components/forms.tsx";
import { SiteUrlForm } from "../components/site_url_form.tsx";
import { texts } from "../texts/mod.ts";

export interface RefusedAddress {
  readonly member: "siteUrl" | "allowedOrigins";
  readonly text: string;
  readonly problem: Problem;
}

export const Addresses = (
  { project, home, refused, canChange }: {
    project: ProjectRecord;
    home: string;
    refused: RefusedAddress | null;
    canChange: boolean;
  },
) => {
  const t = texts().overview.addresses;
  const { siteUrl, allowedOrigins } = project;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {canChange ? <AddressForms {...{ project, home, refused }} /> : (
        <dl class="facts">
          <dt>{t.siteUrl}</dt>
          <dd>{siteUrl ?? t.noSiteUrl}</dd>
          <dt>{t.origins}</dt>
          <dd>{allowedOrigins.length === 0 ? t.allOrigins : allowedOrigins.join(", ")}</dd>
        </dl>
      )}
    </article>
  );
};

const AddressForms = (
  { project, home, refused }: {
    project: ProjectRecord;
    home: string;
    refused: RefusedAddress | null;
  },
) => {
  const t = texts().overview.addresses;
  const refusedIn = (member: RefusedAddress["member"]) =>
    refused?.member === member ? refused : null;
  return (
    <>
      <SiteUrlForm
        action={home}
        siteUrl={refusedIn("siteUrl")?.text ?? project.siteUrl}
        problem={refusedIn("siteUrl")?.problem ?? null}
      />
      <form method="post" action={home}>
        <Refusal problem={refusedIn("allowedOrigins")?.problem ?? null} />
        <label>
          {t.originsByLine}
          <textarea name="allowedOrigins" rows={3} aria-describedby={hintId("allowedOrigins")}>
            {refusedIn("allowedOrigins")?.text ?? project.allowedOrigins.join("\n")}
          </textarea>
        </label>
        <Hint of="allowedOrigins">{t.originsHint}</Hint>
        <button>{t.saveOrigins}</button>
      </form>
    </>
  );
};
