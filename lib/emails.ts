const PART = '[^\\s\\u0000-\\u001f\\u007f-\\u009f@,;<>"]';

/** One plain address: no name beside it, no list, no quotes, no control characters. */
export const EMAIL_PATTERN = `^${PART}{1,64}@${PART}{1,190}$`;

const PLAIN = new RegExp(EMAIL_PATTERN, "u");

/** What {@linkcode PLAIN} takes at most. Bringing a text into normal form is quadratic in its marks. */
const LENGTH_MAX = 255;

/** What shows nothing, or only turns the direction of what does; the Braille blank is no space. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** Whether a text is one plain address, as it is written and as it is compared. */
export const isPlainEmail = (text: string): boolean =>
  PLAIN.test(text) && text.isWellFormed() && PLAIN.test(canonicalEmail(text));

/**
 * The form in which e-mail addresses are compared and unique: NFKC in lower case, without invisible
 * characters. Addresses are kept and shown as given. Two addresses of one form look alike, but can
 * be two mailboxes: a proof of one is a proof of the other only if {@linkcode isSameMailbox} says so.
 * What is too long for an address stays as it is.
 */
export function canonicalEmail(email: string): string {
  if (email.length > LENGTH_MAX) return email;
  return email.normalize("NFKC").toLowerCase().replaceAll(INVISIBLE, "").normalize("NFKC");
}

/**
 * Whether two texts name one mailbox: they are equal but for the case of A to Z. Other letters count
 * as they are, because mail servers tell them apart: with K, the Kelvin sign, in place of a k, an
 * address of one's own would else open somebody else's account.
 */
export const isSameMailbox = (one: string, other: string): boolean =>
  lowerAscii(one) === lowerAscii(other);

const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The address without the tag behind a `+`, by which many mail servers let one mailbox have many addresses. */
export const untagged = (email: string): string => email.replace(/\+[^@]*(?=@)/, "");
