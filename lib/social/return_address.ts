import type { Log } from "../runtime/log.ts";
import type { Id } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";
import { toSignInFailure } from "./oauth.ts";

export interface SignInLog {
  readonly log: Log;
}

export interface ReturnTarget {
  readonly projectId: Id;
  readonly siteUrl: string;
  readonly provider: string;
  readonly returnTo: string | null;
  /** The application's state, unchanged. */
  readonly applicationState: string | null;
  /** Address of the dashboard where a trial ends; null for a sign-in of an application. */
  readonly trialUrl: string | null;
}

/** @param fragment Part of the address that never reaches a server, a log or a referrer. */
export function returnAddress(
  { siteUrl, returnTo, applicationState, trialUrl }: ReturnTarget,
  parameters: Readonly<Record<string, string>>,
  fragment = "",
): string {
  const url = new URL(trialUrl ?? "/auth/callback", siteUrl);
  url.search = new URLSearchParams({
    ...parameters,
    ...(returnTo !== null && { return_to: returnTo }),
    ...(applicationState !== null && { state: applicationState }),
  }).toString();
  url.hash = fragment;
  return url.href;
}

/** Returns the address for a failed sign-in and logs the failure; unexpected errors with stack. */
export function failureAddress({ log }: SignInLog, target: ReturnTarget, error: unknown): string {
  const { projectId: project, provider } = target;
  const converted = toSignInFailure(error);
  let failure: SignInFailed;
  if (converted instanceof SignInFailed) {
    failure = converted;
    const { reason, detail } = failure;
    const level = reason === "cancelled" || reason === "over" ? "info" : "warn";
    log.write(level, "A sign-in failed", { project, provider, reason, detail });
  } else {
    failure = new SignInFailed("failed");
    const details = error instanceof Error ? error.stack : String(error);
    log.write("error", "A sign-in failed unexpectedly", { project, provider, error: details });
  }
  return returnAddress(target, { error: failure.message, provider });
}
