/** A number that a client or an operator can run into. */
interface Limit {
  readonly value: number;
  readonly unit: string;
  /** The document or the part of Corbel that the number comes from. */
  readonly source: string;
}

/** All limits in the order of docs/limits.md, which is generated from them. */
export const LIMITS: Limit[] = [];

/** Declares limits from one source, each a value with its unit. */
const limitsOf = (source: string) => <const V extends number>(value: V, unit: string): V => {
  LIMITS.push({ value, unit, source });
  return value;
};

export const lists = limitsOf("interface section 8");
export const documents = limitsOf("wire rules, documents");
export const tokens = limitsOf("wire rules, tokens");
export const files = limitsOf("wire rules, files");
export const everywhere = limitsOf("wire rules, everywhere");
export const design = limitsOf("design");
export const users = limitsOf("wire rules, users by e-mail");
export const owners = limitsOf("wire rules, owners");
export const plans = limitsOf("plans");
export const mail = limitsOf("wire rules, mail");
export const events = limitsOf("wire rules, events");
export const ours = limitsOf("decision");
export const accounts = limitsOf("accounts");
export const definitions = limitsOf("definition of a collection");
export const social = limitsOf("social");
export const invited = limitsOf("owners");

export const MiB = 1_048_576;
