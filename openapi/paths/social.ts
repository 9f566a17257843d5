import { PROVIDER_TIMEOUT_MS } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { signInCallbackParameters, signInProvider, startSignInParameters } from "../parameters.ts";
import { anyone, navigationKey } from "../security.ts";

const TAG = "Sign-in";

export const startSignIn = contract({
  operationId: "startSignIn",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/social/{provider}/start",
  summary: "Start a social sign-in for a user",
  description: "Navigate a browser here. It is redirected to the provider, and after the user " +
    "has signed in there to `<site_url>/auth/callback`. The sign-in can only be finished in this " +
    "browser, in any of its tabs.",
  security: navigationKey,
  params: { provider: signInProvider },
  parameters: startSignInParameters,
  success: [{
    status: 302,
    description: "A redirect to the provider or, if it cannot be reached, to " +
      "`<site_url>/auth/callback` with an `error`.",
    data: null,
    headers: {
      location: "The address of the redirect.",
      "set-cookie":
        "Binds the sign-in to this browser, for ten minutes. The cookie is signed, and shared by " +
        "all tabs and providers; tabs that start at the same moment get one each.",
    },
  }],
  problems: [
    "PROVIDER_NOT_CONFIGURED",
    "SITE_URL_MISSING",
    "INVALID_RETURN_TO",
    "INVALID_QUERY",
  ],
});

export const signInCallback = contract({
  operationId: "signInCallback",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/social/{provider}/callback",
  summary: "Finish a social sign-in for the provider",
  description:
    "The address to register at the provider, which redirects browsers to it. They are then " +
    "redirected to `<site_url>/auth/callback`, with `rtCode`, `provider`, `userId`, `projectId`, " +
    "`isNewUser` and `linkedByEmail` in the query and the access `token` in the fragment, or with " +
    "an `error` and the `provider`, and with the `return_to` and `state` of the start.\n\n" +
    `The provider has ${PROVIDER_TIMEOUT_MS / 1000} seconds to answer all requests. An ` +
    "unexpected failure has the error `Sign-in failed, try again`; the log has the details. A state " +
    "that is refused because it belongs to another provider or browser stays valid there. A browser " +
    "that navigates here a second time is redirected to `<site_url>/auth/callback` with an `error`.",
  security: anyone,
  params: { provider: signInProvider },
  parameters: signInCallbackParameters,
  success: [{
    status: 302,
    description: "A redirect to the project's site, with a session or an `error`.",
    data: null,
    headers: { location: "`<site_url>/auth/callback` with the parameters above." },
  }],
  problems: ["INVALID_STATE", "SITE_URL_MISSING"],
});

export const SOCIAL = { startSignIn, signInCallback };
