import { raw } from "hono/html";
import { escapeHtml } from "@/lib/text/html.ts";

/** A time in the viewer's zone, or in UTC without scripts; the exact value is its title. */
export const When = ({ at }: { at: string }) => raw(whenMarkup(at));

/** The same as text. */
export function whenMarkup(at: string): string {
  const exact = escapeHtml(at);
  const shown = escapeHtml(at.slice(0, 16).replace("T", " "));
  return `<local-time><time datetime="${exact}" title="${exact}">${shown} UTC</time></local-time>`;
}
