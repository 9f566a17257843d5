import { changeProject } from "@/lib/projects/change_project.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { ProjectRecord } from "@/lib/projects/records.ts";
import type { PageHandler } from "../../handler.ts";
import { Hint, hintId, Refusal } from "../components/forms.tsx";
import { SiteUrlForm, siteUrlIn } from "../components/site_url_form.tsx";
import { homeOf } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { overviewPage, type Refused } from "./overview.tsx";

/** Saves the one address that its form has. */
export const changeAddresses: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const member = form.has("allowedOrigins") ? "allowedOrigins" : "siteUrl";
  const text = form.get(member) ?? "";
  const change = member === "siteUrl"
    ? { siteUrl: siteUrlIn(text) }
    : { allowedOrigins: linesOf(text) };
  const { problem } = await attempt(() => changeProject(services, projectId, change));
  if (problem === null) return seeOther(`${homeOf(projectId)}?done=${member}`);
  const page = await overviewPage(c, { refused: { member, text, problem } });
  return pageReply(page, { status: problem.status });
};

const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

/** Where the project's applications run. */
export const Addresses = (
  { project, home, refused, mayChange }: {
    project: ProjectRecord;
    home: string;
    refused: Refused | null;
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
  { project, home, refused }: { project: ProjectRecord; home: string; refused: Refused | null },
) => {
  const of = (member: Refused["member"]) => refused?.member === member ? refused : null;
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
