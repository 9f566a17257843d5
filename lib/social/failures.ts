/** What the user's page is told when a sign-in fails after its start: short, and no internals. */
const TEXTS = {
  cancelled: "Sign-in was cancelled",
  refused: "The provider refused the sign-in",
  unavailable: "The provider did not answer as expected",
  slow: "The provider did not answer in time",
  unverified: "The provider's answer could not be verified",
  off: "This provider is not enabled",
  disabled: "This account is disabled",
  closed: "This project takes no new users",
  over: "This sign-in is over, start again",
  failed: "Sign-in failed, try again",
} as const;

/** Whether this is what a page is told, and nothing that somebody put into its address. */
export const isFailureText = (text: string): boolean =>
  (Object.values(TEXTS) as string[]).includes(text);

export type FailureReason = keyof typeof TEXTS;

/** A sign-in that ends on the user's page with an `error`. */
export class SignInFailed extends Error {
  override readonly name = "SignInFailed";
  readonly reason: FailureReason;
  /** For the log: a code of a protocol or a status, nothing that a provider or a user wrote. */
  readonly detail: string | null;

  /** The message is what the user's page is told. */
  constructor(reason: FailureReason, detail: string | null = null) {
    super(TEXTS[reason]);
    this.reason = reason;
    this.detail = detail;
  }
}
