import { MAIL_BODY_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { type TemplateInput, toMailTemplate } from "./template_store.ts";
import { type MailVariables, type RenderedMail, renderMail, sampleVariables } from "./templates.ts";

interface MailPreview {
  /** Name of the template, which determines the purpose in the link of a code. */
  readonly name: string;
  readonly template: TemplateInput;
  /** Values that replace the samples. */
  readonly variables?: MailVariables | undefined;
}

/** Renders a template with sample values. Throws `INVALID_BODY` if the mail would be too long. */
export function previewMail(
  { name, siteUrl }: { readonly name: string; readonly siteUrl: string | null },
  { name: templateName, template, variables }: MailPreview,
): RenderedMail {
  const samples = { ...sampleVariables(templateName, siteUrl), project: name };
  const rendered = renderMail(toMailTemplate(template), { ...samples, ...variables });
  if (rendered !== null) return rendered;
  throw new Problem("INVALID_BODY", {
    message: "With its variables the mail would be too long: text and HTML may each have " +
      `${MAIL_BODY_LENGTH_MAX} characters.`,
  });
}
