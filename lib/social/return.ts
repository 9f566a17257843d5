import type { Log } from "../runtime/log.ts";
import type { Id } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";
import { asFailure } from "./oauth.ts";

export interface SignInLog {
  readonly log: Log;
}

/** What leads a browser back to the project's site, whatever became of the sign-in. */
export interface WayBack {
  readonly projectId: Id;
  readonly siteUrl: string;
  readonly provider: string;
  readonly returnTo: string | null;
  /** The application's own state, unchanged. */
  readonly applicationState: string | null;
  /** Where a trial ends, on our own site; null for a sign-in that an application began. */
  readonly trialUrl: string | null;
}

/**
 * The only address that sign-ins end at. What is null is left out.
 * @param fragment Never reaches a server, a log or a referrer.
 */
export function returnAddress(
  { siteUrl, returnTo, applicationState, trialUrl }: WayBack,
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

/** The way back from a sign-in that failed. Only what nobody expected is told in detail, to the log. */
export function failedReturn({ log }: SignInLog, way: WayBack, error: unknown): string {
  const { projectId: project, provider } = way;
  const known = asFailure(error);
  let failure: SignInFailed;
  if (known instanceof SignInFailed) {
    failure = known;
    const { reason, detail } = failure;
    const level = reason === "cancelled" || reason === "over" ? "info" : "warn";
    log.write(level, "A sign-in failed", { project, provider, reason, detail });
  } else {
    failure = new SignInFailed("failed");
    const told = error instanceof Error ? error.stack : String(error);
    log.write("error", "A sign-in failed unexpectedly", { project, provider, error: told });
  }
  return returnAddress(way, { error: failure.message, provider });
}
