import { MAIL_BODY_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { type TemplateInput, templateOf } from "./template_store.ts";
import {
  type MailVariables,
  type RenderedMail,
  renderMail,
  SAMPLE_VARIABLES,
} from "./templates.ts";

/** A template as it would be sent, with samples for what Corbel fills in. Throws `INVALID_BODY`. */
export function previewMail(
  template: TemplateInput,
  project: { readonly name: string; readonly siteUrl: string | null },
  variables: MailVariables = {},
): RenderedMail {
  const { name, siteUrl } = project;
  const own = { project: name, ...(siteUrl !== null && { url: siteUrl }) };
  const rendered = renderMail(templateOf(template), { ...SAMPLE_VARIABLES, ...own, ...variables });
  if (rendered !== null) return rendered;
  throw new Problem("INVALID_BODY", {
    message: "With its variables the mail would be too long: text and HTML may each have " +
      `${MAIL_BODY_LENGTH_MAX} characters.`,
  });
}
