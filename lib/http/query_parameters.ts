/** What `URLSearchParams` would decode, replace or leave out. */
const NOT_PLAIN = /[%+]|[^ -~]|^\?/;

/**
 * The parameters of a query, decoded, in their order. As `URLSearchParams` reads them, whose call
 * into the runtime costs 0.5 µs of a query without any, and three times what splitting a plain one
 * does.
 */
export function queryParameters(text: string): Iterable<readonly [string, string]> {
  if (NOT_PLAIN.test(text)) return new URLSearchParams(text);
  return text.split("&").filter((part) => part !== "").map((part): readonly [string, string] => {
    const mark = part.indexOf("=");
    return mark < 0 ? [part, ""] : [part.slice(0, mark), part.slice(mark + 1)];
  });
}
