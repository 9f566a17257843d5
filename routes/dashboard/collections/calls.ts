/** Placeholders for keys that a page does not know. */
export const PLACEHOLDERS = {
  publishable: "pk_live_YOUR_KEY",
  secret: "sk_live_YOUR_KEY",
} as const;
