import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import { Choice, Done, Hint, hintId, Refusal } from "../components/forms.tsx";
import type { MailFate } from "../mail/mail_page.ts";

/** The settings as a form sends them: the number is a text. */
export type EnteredAuth = Omit<AuthSettings, "passwordLengthMin"> & {
  readonly passwordLengthMin: string;
};

export const enteredAuth = (auth: AuthSettings): EnteredAuth => ({
  ...auth,
  passwordLengthMin: String(auth.passwordLengthMin),
});

export const readAuth = (form: URLSearchParams): EnteredAuth => ({
  signUp: form.get("signUp") === "closed" ? "closed" : "open",
  password: form.has("password"),
  emailCode: form.has("emailCode"),
  anonymous: form.has("anonymous"),
  requireVerifiedEmail: form.has("requireVerifiedEmail"),
  passwordLengthMin: (form.get("passwordLengthMin") ?? "").trim(),
});

/** As the contract of the operation takes them. What is no number stays a text, to be refused. */
export const authInput = ({ passwordLengthMin, ...auth }: EnteredAuth): object => ({
  ...auth,
  passwordLengthMin: /^\d+$/.test(passwordLengthMin)
    ? Number(passwordLengthMin)
    : passwordLengthMin,
});

interface CardProps {
  /** Where the form is sent. */
  readonly action: string;
  /** The path of the mail pages. */
  readonly mailPath: string;
  readonly auth: EnteredAuth;
  readonly mail: MailFate;
  readonly mayChange: boolean;
  readonly isSaved: boolean;
  readonly problem: Problem | null;
}

/** Who may become a user, and by what they sign in, beside providers. */
export const SignUpCard = (card: CardProps) => (
  <article class="card" id="sign-up">
    <h2>Sign-up</h2>
    <p>Who may become a user of this project, and by what they sign in, beside the providers.</p>
    {card.isSaved && <Done>Saved.</Done>}
    <MailNote {...card} />
    {card.mayChange ? <SignUpForm {...card} /> : <Settings auth={card.auth} />}
  </article>
);

const needsMail = ({ emailCode, requireVerifiedEmail }: EnteredAuth): boolean =>
  emailCode || requireVerifiedEmail;

const MailNote = ({ auth, mail, mailPath }: CardProps) => {
  if (mail === "sent" || !needsMail(auth)) return null;
  if (mail === "kept") {
    return (
      <p class="muted">
        Mails are not sent here: codes are in <a href={mailPath}>the mailbox</a>.
      </p>
    );
  }
  return (
    <p class="note">
      <span>
        No mail can be sent, so{" "}
        {needing(auth)}. Without a mail server nobody gets a code to reset a password either.
      </span>
      <a href={`${mailPath}/server`}>Set a mail server</a>
    </p>
  );
};

const needing = ({ emailCode, requireVerifiedEmail }: EnteredAuth): string => {
  const codes = "nobody can sign in by a code";
  const verified = "nobody can verify the e-mail that a password asks for";
  return emailCode && requireVerifiedEmail
    ? `${codes}, and ${verified}`
    : emailCode
    ? codes
    : verified;
};

const SignUpForm = ({ action, auth, problem }: CardProps) => {
  const isLength = problem?.faults.some(({ path }) => path === "auth.passwordLengthMin") ?? false;
  return (
    <form method="post" action={action}>
      <Refusal problem={isLength ? null : problem} />
      <fieldset class="switches">
        <legend>New users</legend>
        <Choice name="signUp" value="open" isOn={auth.signUp === "open"} label="Open">
          {SAYS.open}
        </Choice>
        <Choice name="signUp" value="closed" isOn={auth.signUp === "closed"} label="Closed">
          {SAYS.closed}
        </Choice>
      </fieldset>
      <fieldset class="switches">
        <legend>Ways to sign in</legend>
        {(["password", "emailCode", "anonymous"] as const).map((name) => (
          <Choice name={name} isOn={auth[name]} label={LABELS[name]}>{SAYS[name]}</Choice>
        ))}
      </fieldset>
      <fieldset class="switches">
        <legend>Passwords</legend>
        <Choice
          name="requireVerifiedEmail"
          isOn={auth.requireVerifiedEmail}
          label={LABELS.requireVerifiedEmail}
        >
          {SAYS.requireVerifiedEmail}
        </Choice>
        <label>
          Shortest password, in characters
          <input
            class="short"
            name="passwordLengthMin"
            type="number"
            min={PASSWORD_LENGTH_MIN}
            max={Math.min(128, PASSWORD_LENGTH_MAX)}
            value={auth.passwordLengthMin}
            required
            aria-describedby={hintId("passwordLengthMin")}
            {...(isLength && { "aria-invalid": "true" as const, autofocus: true })}
          />
        </label>
        {isLength && <Refusal problem={problem} />}
        <Hint of="passwordLengthMin">
          {`From ${PASSWORD_LENGTH_MIN} to 128. Passwords that are set already stay.`}
        </Hint>
      </fieldset>
      <button>Save sign-up</button>
    </form>
  );
};

const LABELS = {
  password: "Password",
  emailCode: "Code by e-mail",
  anonymous: "Anonymous",
  requireVerifiedEmail: "Verified e-mails only",
} as const;

const SAYS = {
  open: "Whoever wants to becomes a user, by each way that is on.",
  closed:
    "Nobody becomes a user by themselves, not by a social sign-in either. Users that there are " +
    "sign in as before; you and your server can add others.",
  password: "Users sign up and in with an e-mail address and a password of their own.",
  emailCode: "A code of six digits that is sent to their address signs users in.",
  anonymous: "A visitor becomes a user without telling anything, and may add an address later.",
  requireVerifiedEmail: "A password signs in only once the code that was sent to the address has " +
    "been entered. Then signing up does not tell who has an account.",
} as const;

/** For who may only look. */
const Settings = ({ auth }: { auth: EnteredAuth }) => (
  <dl class="facts">
    <dt>New users</dt>
    <dd>{auth.signUp}</dd>
    {(["password", "emailCode", "anonymous", "requireVerifiedEmail"] as const).map((name) => (
      <>
        <dt>{LABELS[name]}</dt>
        <dd>{auth[name] ? "on" : "off"}</dd>
      </>
    ))}
    <dt>Shortest password</dt>
    <dd>{auth.passwordLengthMin} characters</dd>
  </dl>
);
