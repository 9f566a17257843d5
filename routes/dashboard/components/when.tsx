import { raw } from "hono/html";
import { escapeHtml } from "@/lib/text/html.ts";

/** A time in the viewer's zone, or in UTC without scripts, with the exact time as its title. */
export const When = ({ at }: { at: string }) => raw(whenMarkup(at));

export function whenMarkup(at: string): string {
  const exact = escapeHtml(at);
  const text = escapeHtml(at.slice(0, 16).replace("T", " "));
  return `<local-time><time datetime="${exact}" title="${exact}">${text} UTC</time></local-time>`;
}
