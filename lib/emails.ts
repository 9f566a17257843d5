import { domainToASCII, domainToUnicode } from "node:url";

const PART = '[^\\s\\u0000-\\u001f\\u007f-\\u009f@,;<>"]';

const ADDRESS = `${PART}{1,64}@${PART}{1,190}`;

/** Matches one plain address without a name, quotes or control characters. */
export const EMAIL_PATTERN = `^${ADDRESS}$`;

/** Matches one plain address with white space around it, as people enter it. */
export const ENTERED_EMAIL_PATTERN = `^\\s*${ADDRESS}\\s*$`;

const PLAIN_EMAIL = new RegExp(EMAIL_PATTERN, "u");

/** Longer texts are not normalized, which takes quadratic time for texts with many marks. */
const LENGTH_MAX = 255;

/** Invisible characters and direction marks. The Braille blank is invisible but not white space. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** Whether a text and its canonical form are one plain address. */
export const isPlainEmail = (text: string): boolean =>
  PLAIN_EMAIL.test(text) && text.isWellFormed() && PLAIN_EMAIL.test(canonicalEmail(text));

/**
 * Returns the canonical form, by which addresses are unique: NFKC, lower case, without invisible
 * characters, with an ASCII domain. Two mailboxes may share it: a proof of one is a proof of the
 * other only if {@linkcode isSameMailbox} is true. A text that is too long is only trimmed.
 */
export function canonicalEmail(email: string): string {
  const text = normalEmail(email);
  return text.length > LENGTH_MAX ? text : mapDomain(text, asciiDomain);
}

/** Returns the canonical form of earlier versions, which did not convert domains to ASCII. */
function normalEmail(email: string): string {
  const text = email.trim();
  if (text.length > LENGTH_MAX) return text;
  return text.normalize("NFKC").toLowerCase().replaceAll(INVISIBLE, "").normalize("NFKC").trim();
}

/** Returns forms in records, the closest first. Earlier versions stored domains in Unicode. */
export function storedForms(email: string): readonly string[] {
  const canonical = canonicalEmail(email);
  if (!canonical.includes("xn--")) return [canonical];
  const earlier = mapDomain(canonical, (domain) => domainToUnicode(domain) || domain);
  const forms = [...new Set([canonical, earlier])];
  return normalEmail(email) === earlier ? forms.reverse() : forms;
}

function mapDomain(address: string, change: (domain: string) => string): string {
  const at = address.lastIndexOf("@") + 1;
  return at === 0 ? address : address.slice(0, at) + change(address.slice(at));
}

const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** Returns a domain in Punycode. A text that cannot be a domain is returned unchanged. */
const asciiDomain = (domain: string): string =>
  BEYOND_ASCII.test(domain) ? domainToASCII(domain) || domain : domain;

/**
 * Ignores the case of A to Z and the form of the domain. Other letters must be equal: otherwise an
 * address with K, the Kelvin sign, instead of k could open another user's account.
 */
export const isSameMailbox = (one: string, other: string): boolean =>
  mailboxOf(one) === mailboxOf(other);

const mailboxOf = (email: string): string => mapDomain(lowerAscii(email.trim()), exactDomain);

/** Returns a domain in ASCII, unless the conversion would also normalize it. */
function exactDomain(domain: string): string {
  const ascii = asciiDomain(domain);
  return domainToUnicode(ascii) === domain ? ascii : domain;
}

const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns an address without the tag after a `+`, which many mail servers ignore. */
export const withoutTag = (email: string): string => email.replace(/\+[^@]*(?=@)/, "");
