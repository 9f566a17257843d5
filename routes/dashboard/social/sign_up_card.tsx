import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import { Choice, Hint, hintId, Refusal, SuccessNote } from "../components/forms.tsx";
import type { MailHandling } from "../mail/mail_page.ts";
import { texts } from "../texts/mod.ts";

/** Maximum of the form's number field in characters. The operation accepts more. */
const FORM_LENGTH_MAX = Math.min(128, PASSWORD_LENGTH_MAX);

/** Settings as a form sends them, with the number as a text. */
export type EnteredAuth = Omit<AuthSettings, "passwordLengthMin"> & {
  readonly passwordLengthMin: string;
};

export const toEnteredAuth = (auth: AuthSettings): EnteredAuth => ({
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

/** Returns the input of the operation. An invalid number stays a text, which validation refuses. */
export const toAuthInput = ({ passwordLengthMin, ...auth }: EnteredAuth): object => ({
  ...auth,
  passwordLengthMin: /^\d+$/.test(passwordLengthMin)
    ? Number(passwordLengthMin)
    : passwordLengthMin,
});

interface CardProps {
  readonly action: string;
  readonly mailPath: string;
  readonly auth: EnteredAuth;
  readonly mail: MailHandling;
  readonly canChange: boolean;
  readonly isSaved: boolean;
  readonly problem: Problem | null;
}

export const SignUpCard = (card: CardProps) => {
  const t = texts().signIn;
  return (
    <article class="card" id="sign-up">
      <h2>{t.signUp.title}</h2>
      <p>{t.signUp.about}</p>
      {card.isSaved && <SuccessNote>{t.saved}</SuccessNote>}
      <MailNote {...card} />
      {card.canChange ? <SignUpForm {...card} /> : <SignUpFacts auth={card.auth} />}
    </article>
  );
};

const needsMail = ({ emailCode, requireVerifiedEmail }: EnteredAuth): boolean =>
  emailCode || requireVerifiedEmail;

const MailNote = ({ auth, mail, mailPath }: CardProps) => {
  if (mail === "sent" || !needsMail(auth)) return null;
  const t = texts().signIn.signUp;
  if (mail === "kept") {
    return <p class="muted">{t.kept((text) => <a href={mailPath}>{text}</a>)}</p>;
  }
  return (
    <p class="note">
      <span>{t.noMail(auth)}</span>
      <a href={`${mailPath}/server`}>{t.setServer}</a>
    </p>
  );
};

const SignUpForm = ({ action, auth, problem }: CardProps) => {
  const isLength = problem?.faults.some(({ path }) => path === "auth.passwordLengthMin") ?? false;
  const t = texts().signIn.signUp;
  return (
    <form method="post" action={action}>
      <Refusal problem={isLength ? null : problem} />
      <fieldset class="switches">
        <legend>{t.newUsers}</legend>
        <Choice name="signUp" value="open" isOn={auth.signUp === "open"} label={t.open}>
          {t.says.open}
        </Choice>
        <Choice name="signUp" value="closed" isOn={auth.signUp === "closed"} label={t.closed}>
          {t.says.closed}
        </Choice>
      </fieldset>
      <fieldset class="switches">
        <legend>{t.ways}</legend>
        {(["password", "emailCode", "anonymous"] as const).map((name) => (
          <Choice name={name} isOn={auth[name]} label={t.labels[name]}>{t.says[name]}</Choice>
        ))}
      </fieldset>
      <fieldset class="switches">
        <legend>{t.passwords}</legend>
        <Choice
          name="requireVerifiedEmail"
          isOn={auth.requireVerifiedEmail}
          label={t.labels.requireVerifiedEmail}
        >
          {t.says.requireVerifiedEmail}
        </Choice>
        <label>
          {t.shortestIn}
          <input
            class="short"
            name="passwordLengthMin"
            type="number"
            min={PASSWORD_LENGTH_MIN}
            max={FORM_LENGTH_MAX}
            value={auth.passwordLengthMin}
            required
            aria-describedby={hintId("passwordLengthMin")}
            {...(isLength && { "aria-invalid": "true" as const, autofocus: true })}
          />
        </label>
        {isLength && <Refusal problem={problem} />}
        <Hint of="passwordLengthMin">{t.lengths(PASSWORD_LENGTH_MIN, FORM_LENGTH_MAX)}</Hint>
      </fieldset>
      <button>{t.save}</button>
    </form>
  );
};

const SignUpFacts = ({ auth }: { auth: EnteredAuth }) => {
  const { on, off, signUp: t } = texts().signIn;
  return (
    <dl class="facts">
      <dt>{t.newUsers}</dt>
      <dd>{t.states[auth.signUp]}</dd>
      {(["password", "emailCode", "anonymous", "requireVerifiedEmail"] as const).map((name) => (
        <>
          <dt>{t.labels[name]}</dt>
          <dd>{auth[name] ? on : off}</dd>
        </>
      ))}
      <dt>{t.shortest}</dt>
      <dd>{t.characters(auth.passwordLengthMin)}</dd>
    </dl>
  );
};
