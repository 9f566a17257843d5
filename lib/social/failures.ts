/** Messages for the user's page when a sign-in fails after its start, without internals. */
const FAILURE_TEXTS = {
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

/** Whether a text is one of these messages, and not a text that was put into the address. */
export const isFailureText = (text: string): boolean =>
  (Object.values(FAILURE_TEXTS) as string[]).includes(text);

export type FailureReason = keyof typeof FAILURE_TEXTS;

/** Failure of a sign-in, which ends on the user's page with an `error`. */
export class SignInFailed extends Error {
  override readonly name = "SignInFailed";
  readonly reason: FailureReason;
  /** A protocol code or a status for the log, never a text of a provider or a user. */
  readonly detail: string | null;

  /** Creates a failure whose message is shown to the user. */
  constructor(reason: FailureReason, detail: string | null = null) {
    super(FAILURE_TEXTS[reason]);
    this.reason = reason;
    this.detail = detail;
  }
}
