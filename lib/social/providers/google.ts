import type { Clock } from "../../clock.ts";
import { PERSON_NAME_LENGTH_MAX } from "../../limits.ts";
import { SignInFailed } from "../failures.ts";
import { openIdServer } from "../openid.ts";
import { toEmail, toLine, toPictureUrl } from "../profile.ts";
import type { Provider } from "../provider.ts";

const SUBJECT = /^[\x21-\x7e]{1,255}$/;

/** Supports any OpenID provider that signs with RS256. */
export function google(
  { googleIssuer }: { googleIssuer: string },
  clock: Clock,
): Provider {
  const { server, checkSignature } = openIdServer(googleIssuer, clock);
  return {
    title: "Google",
    consoleUrl: "https://console.cloud.google.com/apis/credentials",
    scope: "openid email profile",
    idTokens: { algorithm: "RS256", checkSignature },
    server,
    profile({ claims }) {
      const { sub, email, email_verified, name, picture } = claims!;
      if (typeof sub !== "string" || !SUBJECT.test(sub)) {
        throw new SignInFailed("unverified", "the subject is not plain text");
      }
      return Promise.resolve({
        providerUserId: sub,
        email: email_verified === true ? toEmail(email) : null,
        name: toLine(name, PERSON_NAME_LENGTH_MAX),
        username: null,
        avatarUrl: toPictureUrl(picture),
      });
    },
  };
}
