import type { Child } from "hono/jsx";

type Link = (text: string) => Child;

interface NeedsMail {
  readonly emailCode: boolean;
  readonly requireVerifiedEmail: boolean;
}

const signUp = {
  title: "Sign-up",
  about: "Who may become a user of this project, and how they sign in, apart from the providers.",
  kept: (mailbox: Link) => <>Mails are not sent here: codes are in {mailbox("the mailbox")}.</>,
  noMail: ({ emailCode, requireVerifiedEmail }: NeedsMail) => {
    const missed = [
      ...(emailCode ? ["users cannot sign in by a code"] : []),
      ...(requireVerifiedEmail ? ["users cannot verify the e-mail that a password asks for"] : []),
    ];
    return `No mail can be sent, so ${missed.join(", and ")}. ` +
      "Without a mail server users do not get codes to reset a password either.";
  },
  setServer: "Set a mail server",
  newUsers: "New users",
  open: "Open",
  closed: "Closed",
  states: { open: "open", closed: "closed" },
  ways: "Ways to sign in",
  passwords: "Passwords",
  labels: {
    password: "Password",
    emailCode: "Code by e-mail",
    anonymous: "Anonymous",
    requireVerifiedEmail: "Verified e-mails only",
  },
  says: {
    open: "Anyone can become a user, by each way that is on.",
    closed:
      "Visitors cannot sign up, not by a provider either. Existing users sign in as before; you " +
      "and your server can add others.",
    password: "Users sign up and in with an e-mail address and a password of their own.",
    emailCode: "A code of six digits that is sent to their address signs users in.",
    anonymous: "A visitor becomes a user without entering anything, and may add an address later.",
    requireVerifiedEmail: "A password signs in only once the code that was sent to the address " +
      "has been entered. Then signing up does not reveal who has an account.",
  },
  shortestIn: "Shortest password, in characters",
  shortest: "Shortest password",
  lengths: (min: number, max: number) =>
    `From ${min} to ${max}. Passwords that are set already stay.`,
  characters: (count: string) => `${count} characters`,
  save: "Save sign-up",
};

const provider = {
  none: "Not set up yet.",
  setUp: "Set up",
  register: (console: Child) => (
    <>
      Register the callback URL in an OAuth application at{" "}
      {console}, then paste its client ID and secret here.
    </>
  ),
  callbackUrl: "Callback URL",
  clientId: "Client ID",
  clientSecret: "Client secret",
  storedKeep: "stored, leave empty to keep",
  stored: "stored",
  enabled: "Enabled",
  needsSite: "To try it, set the Site URL above.",
  sameEmailAs: "Same e-mail as a user of another provider",
  sameEmail: "Same e-mail",
  linking: {
    verified: "signs in as that user, if the provider has verified it",
    never: "is another user",
  },
};

const choice = {
  onlyInDev: "only in dev",
  about: (name: string) => (
    <>
      Users choose on a page of this server who they are; nothing has to be set up. In your
      application it is the provider <span class="mono">{name}</span>, for example{" "}
      <span class="mono">{`signInWith("${name}")`}</span>. A server that is started by{" "}
      <span class="mono">start</span> does not have it.
    </>
  ),
  needsSite: "To use it, set the Site URL above.",
  title: "Sign in as",
  heading: "Sign in as …",
  chooseBy: (provider: string) => `${provider}, only in dev: choose who to be in your application.`,
  another: "Another e-mail",
  anotherIs: "The user who has this e-mail in your project, or a new one.",
  signIn: "Sign in",
  signInAs: (name: string) => `Sign in as ${name}`,
  signingIn: "Signing in",
  youAre: (email: string) => `You are ${email}.`,
  goOn: "Continue to your application",
};

const trial = {
  title: "Sign-in tried",
  again: "Sign-in failed, try again",
  failed: "It did not work",
  why: (error: Child) => (
    <>
      Client ID, client secret and callback URL must be those of the OAuth application at the
      provider. Your site would get this text as {error}.
    </>
  ),
  works: "It works: this is who signed in. The session was ended at once.",
  back: "Back to sign-in",
  gets: "What your site gets",
  where: (url: Child) => <>At {url}, in the query; the token is in the fragment.</>,
  once: "good once, for a minute",
  unknown: "unknown",
  token: "the access token",
};

export const signIn = {
  title: "Sign-in",
  trying: "“Try it” signs you in as a user of this project, as your site would, and shows who " +
    "that is. The session it opens is ended at once; the user stays.",
  siteUrl: "Site URL",
  siteUrlIs: (path: Child) => (
    <>
      Users come back to {path}{" "}
      on this address after signing in by a provider, which asks for one; links in mails lead there.
    </>
  ),
  none: "none",
  on: "on",
  off: "off",
  save: "Save",
  saved: "Saved.",
  tryIt: "Try it",
  signUp,
  provider,
  choice,
  trial,
};
