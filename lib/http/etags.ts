/** Whether an `If-Match` or `If-None-Match` header names the tag. Weak tags never match strongly. */
export function namesTag(header: string, tag: string, weak: boolean): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((one) => {
    const named = one.trim();
    return named === tag || (weak && named === `W/${tag}`);
  });
}
