/** A content type without its parameters, in lower case: `Image/PNG; q=1` is `image/png`. */
export const essenceOf = (contentType: string): string =>
  contentType.split(";", 1)[0]!.trim().toLowerCase();
