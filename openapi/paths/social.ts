import { PROVIDER_TIMEOUT_MS } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { signInCallback as callback, signInProvider, startSignIn as start } from "../parameters.ts";
import { anyone, navigationKey } from "../security.ts";

const TAG = "Sign-in";

export const startSignIn = contract({
  operationId: "startSignIn",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/social/{provider}/start",
  summary: "Start a social sign-in for a user",
  description: "Navigate a browser here. It is sent on to the provider, and after the user has " +
    "signed in there to `<site_url>/auth/callback`. The sign-in can be ended in this browser only, " +
    "in any of its tabs.",
  security: navigationKey,
  params: { provider: signInProvider },
  parameters: start,
  success: [{
    status: 302,
    description: "On to the provider; or, if the provider cannot be reached, back to " +
      "`<site_url>/auth/callback` with an `error`.",
    data: null,
    headers: {
      location: "Where the browser goes.",
      "set-cookie":
        "Ties the sign-in to this browser, for ten minutes: signed, and one for all its " +
        "tabs and providers; tabs that begin at the same moment get one each.",
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
  description: "The address to register at the provider, which sends browsers back to it. They " +
    "are sent on to `<site_url>/auth/callback`, with `rtCode`, `provider`, `userId`, " +
    "`projectId`, `isNewUser` and `linkedByEmail` in the query and the access `token` in the " +
    "fragment, or with an `error` and the `provider`; and with `return_to` and `state` as the " +
    "sign-in was begun with.\n\n" +
    `The provider has ${
      PROVIDER_TIMEOUT_MS / 1000
    } seconds for all that it is asked here. A failure ` +
    "that nobody expected is told as `Sign-in failed, try again`, and the log has the details. A " +
    "state that is refused because it belongs to another provider or browser stays good there. A " +
    "browser that navigates here a second time is sent to `<site_url>/auth/callback` with an " +
    "`error`.",
  security: anyone,
  params: { provider: signInProvider },
  parameters: callback,
  success: [{
    status: 302,
    description: "Back to the project's site, signed in or with an `error`.",
    data: null,
    headers: { location: "`<site_url>/auth/callback` with the parameters above." },
  }],
  problems: ["INVALID_STATE", "SITE_URL_MISSING"],
});

/** In the order of the reference. */
export const SOCIAL = { startSignIn, signInCallback };
