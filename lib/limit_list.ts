interface Limit {
  readonly value: number;
  readonly unit: string;
  /** The document or the part of Corbel that defines the limit. */
  readonly source: string;
}

/** All limits in the order of docs/limits.md, which is generated from this list. */
export const LIMITS: Limit[] = [];

/** Returns a function that declares a limit of one source with its unit. */
const limitsFrom = (source: string) => <const V extends number>(value: V, unit: string): V => {
  LIMITS.push({ value, unit, source });
  return value;
};

export const specified = limitsFrom("interface section 8");
export const documentRule = limitsFrom("wire rules, documents");
export const tokenRule = limitsFrom("wire rules, tokens");
export const fileRule = limitsFrom("wire rules, files");
export const commonRule = limitsFrom("wire rules, everywhere");
export const designed = limitsFrom("design");
export const userRule = limitsFrom("wire rules, users by e-mail");
export const ownerRule = limitsFrom("wire rules, owners");
export const planRule = limitsFrom("plans");
export const mailRule = limitsFrom("wire rules, mail");
export const eventRule = limitsFrom("wire rules, events");
export const decided = limitsFrom("decision");
export const accountRule = limitsFrom("accounts");
export const definitionRule = limitsFrom("definition of a collection");
export const socialRule = limitsFrom("social");
export const ownerDecision = limitsFrom("owners");

export const MiB = 1_048_576;
