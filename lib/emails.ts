import { domainToASCII, domainToUnicode } from "node:url";

const PART = '[^\\s\\u0000-\\u001f\\u007f-\\u009f@,;<>"]';

const ADDRESS = `${PART}{1,64}@${PART}{1,190}`;

/** One plain address: no name, no list, no quotes, no control characters. */
export const EMAIL_PATTERN = `^${ADDRESS}$`;

/** One plain address as people enter it: white space around it is left out. */
export const ENTERED_EMAIL_PATTERN = `^\\s*${ADDRESS}\\s*$`;

const PLAIN = new RegExp(EMAIL_PATTERN, "u");

/** What {@linkcode PLAIN} takes at most. Bringing a text into normal form is quadratic in its marks. */
const LENGTH_MAX = 255;

/** What shows nothing, or only turns the direction of what does; the Braille blank is no space. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** Whether a text is one plain address, as it is written and as it is compared. */
export const isPlainEmail = (text: string): boolean =>
  PLAIN.test(text) && text.isWellFormed() && PLAIN.test(canonicalEmail(text));

/**
 * Returns the form in which e-mail addresses are compared and unique: NFKC in lower case, without
 * invisible characters and white space around it, and with the domain in ASCII, as browsers and the
 * DNS write it. Addresses are kept and shown as given. Two addresses of one form look alike, but can
 * be two mailboxes: a proof of one is a proof of the other only if {@linkcode isSameMailbox} says so.
 * A text that is too long for an address is returned without the white space around it.
 */
export function canonicalEmail(email: string): string {
  const text = normalEmail(email);
  return text.length > LENGTH_MAX ? text : withDomain(text, asciiDomain);
}

/** An address as it was compared before domains were compared in ASCII. */
function normalEmail(email: string): string {
  const text = email.trim();
  if (text.length > LENGTH_MAX) return text;
  return text.normalize("NFKC").toLowerCase().replaceAll(INVISIBLE, "").normalize("NFKC").trim();
}

/**
 * Returns every form in which records may have an address: the form that is compared, and for an
 * internationalized domain the Unicode form, in which earlier versions stored it. The form that is
 * closest to the address as it is given comes first.
 */
export function storedForms(email: string): readonly string[] {
  const canonical = canonicalEmail(email);
  if (!canonical.includes("xn--")) return [canonical];
  const earlier = withDomain(canonical, (domain) => domainToUnicode(domain) || domain);
  const forms = [...new Set([canonical, earlier])];
  return normalEmail(email) === earlier ? forms.reverse() : forms;
}

function withDomain(address: string, change: (domain: string) => string): string {
  const at = address.lastIndexOf("@") + 1;
  return at === 0 ? address : address.slice(0, at) + change(address.slice(at));
}

const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** Punycode for a domain with letters beyond ASCII. A text that can be no domain stays as it is. */
const asciiDomain = (domain: string): string =>
  BEYOND_ASCII.test(domain) ? domainToASCII(domain) || domain : domain;

/**
 * Whether two texts name one mailbox: they are equal but for the case of A to Z, or for an
 * internationalized domain that one of them has in ASCII. Other letters count as they are, because
 * mail servers tell them apart: with K, the Kelvin sign, in place of a k, an address of one's own
 * would else open somebody else's account.
 */
export const isSameMailbox = (one: string, other: string): boolean =>
  mailboxOf(one) === mailboxOf(other);

const mailboxOf = (email: string): string => withDomain(lowerAscii(email.trim()), exactDomain);

/** A domain in ASCII, if nothing but that is changed: one that must be normalized first stays. */
function exactDomain(domain: string): string {
  const ascii = asciiDomain(domain);
  return domainToUnicode(ascii) === domain ? ascii : domain;
}

const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The address without the tag behind a `+`, by which many mail servers let one mailbox have many addresses. */
export const untagged = (email: string): string => email.replace(/\+[^@]*(?=@)/, "");
