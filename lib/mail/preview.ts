import { MAIL_BODY_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { type TemplateInput, templateOf } from "./template_store.ts";
import { type MailVariables, type RenderedMail, renderMail, sampleVariables } from "./templates.ts";

interface Previewed {
  /** The template's name, by which its link says what the code is for. */
  readonly name: string;
  readonly template: TemplateInput;
  /** Values that replace the samples. */
  readonly variables?: MailVariables | undefined;
}

/** A template as it would be sent, with samples for what Corbel fills in. Throws `INVALID_BODY`. */
export function previewMail(
  { name, siteUrl }: { readonly name: string; readonly siteUrl: string | null },
  { name: templateName, template, variables }: Previewed,
): RenderedMail {
  const samples = { ...sampleVariables(templateName, siteUrl), project: name };
  const rendered = renderMail(templateOf(template), { ...samples, ...variables });
  if (rendered !== null) return rendered;
  throw new Problem("INVALID_BODY", {
    message: "With its variables the mail would be too long: text and HTML may each have " +
      `${MAIL_BODY_LENGTH_MAX} characters.`,
  });
}
