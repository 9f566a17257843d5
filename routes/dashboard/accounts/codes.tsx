import { findAccountByCookie } from "@/lib/accounts/account_sessions.ts";
import { resetAccountPassword, verifyAccountEmail } from "@/lib/accounts/prove_email.ts";
import {
  type AccountCodePurpose,
  canMailAccounts,
  requestAccountCode,
} from "@/lib/accounts/send_code.ts";
import type { EnteredCode } from "@/lib/credentials/codes.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { CODE_MS, PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { EmailAddress } from "@/openapi/schemas/user_session.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Plain } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const FORGOTTEN = "/dashboard/forgot-password";
export const VERIFY = "/dashboard/verify";
export const SEND_CODE = `${VERIFY}/code`;
/** Command by which operators set the password of an account. */
export const SET_PASSWORD = "deno task admin account password";

interface CodeEntry {
  readonly purpose: AccountCodePurpose;
  readonly email: string;
  readonly problem?: Problem;
  readonly query?: string;
}

/** Returns the purpose that an address names. Unknown purposes are a harmless verification. */
const purposeOf = (text: string | null): AccountCodePurpose =>
  text === "resetPassword" ? text : "verify";

export const showForgotten: PageHandler<null> = async (c) =>
  pageReply(<ForgottenPage mails={await canMailAccounts(c.var.services)} email="" />);

export const showVerify: PageHandler<null> = async (c) => {
  const { query } = c.var.state;
  const search = new URLSearchParams(query);
  // The link of a mail to an account's new address. Browsers keep the code in the fragment.
  if (search.get("purpose") === "emailChange") return seeOther("/dashboard/account?done=code");
  const purpose = purposeOf(search.get("purpose"));
  return await codePage(c, { purpose, query, email: search.get("email") ?? "" });
};

export const sendCodeByForm: PageHandler<null> = async (c) => {
  const form = await c.var.body.form();
  const purpose = purposeOf(form.get("purpose"));
  const email = form.get("email")?.trim() ?? "";
  const { services } = c.var;
  const { problem } = await attempt(async () =>
    await requestAccountCode(services, { purpose, ...parseInput(EmailAddress, { email }) })
  );
  if (problem === null) {
    return seeOther(`${VERIFY}?${new URLSearchParams({ purpose, email, done: "sent" })}`);
  }
  if (purpose === "verify") return await codePage(c, { purpose, email, problem });
  const mails = await canMailAccounts(services);
  return pageReply(<ForgottenPage {...{ email, problem, mails }} />, { status: problem.status });
};

export const enterCodeByForm: PageHandler<null> = async (c) => {
  const form = await c.var.body.form();
  const purpose = purposeOf(form.get("purpose"));
  const email = form.get("email")?.trim() ?? "";
  // Mail programs may show the code in groups, and copying it adds spaces.
  const entered = { email, otp: form.get("otp")?.replaceAll(/\s/g, "") ?? "" };
  const { services, state } = c.var;
  const attempted = await attempt(async () => {
    if (purpose === "verify") {
      return await verifyByForm(c, { ...entered, password: form.get("password") || undefined });
    }
    const newPassword = form.get("newPassword") ?? "";
    await resetAccountPassword(services, { ...entered, newPassword }, state);
    return "/dashboard/sign-in?done=reset";
  });
  if (attempted.problem === null) return seeOther(attempted.value);
  return await codePage(c, { purpose, email, problem: attempted.problem });
};

const findSignedIn = ({ req, var: { services } }: PageContext<null>) =>
  findAccountByCookie(services, req.header("cookie") ?? null);

/** Verifies the address and resolves to the path of the next page. */
async function verifyByForm(
  c: PageContext<null>,
  entered: EnteredCode & { readonly password: string | undefined },
): Promise<string> {
  const { services, state: { network } } = c.var;
  const accountId = (await findSignedIn(c))?.accountId ?? null;
  const { isPasswordDropped } = await verifyAccountEmail(services, entered, { accountId, network });
  if (isPasswordDropped) return "/dashboard/sign-in?done=dropped";
  return `/dashboard/${accountId === null ? "sign-in" : "account"}?done=verified`;
}

/** Asks for the password unless the request has a session of the account. */
async function codePage(c: PageContext<null>, entry: CodeEntry): Promise<Reply> {
  const asksPassword = entry.purpose === "verify" && (await findSignedIn(c))?.email !== entry.email;
  const { problem } = entry;
  const page = <CodePage {...entry} asksPassword={asksPassword} />;
  return pageReply(page, problem === undefined ? {} : { status: problem.status });
}

const MINUTES = CODE_MS / 60_000;

const ForgottenPage = (
  { mails, email, problem }: Omit<CodeEntry, "purpose" | "query"> & { mails: boolean },
) => {
  const t = texts().accounts.codes.forgotten;
  return (
    <Plain title={t.title}>
      <h1>{t.title}</h1>
      {mails
        ? (
          <form method="post" action={SEND_CODE}>
            <Refusal problem={problem ?? null} />
            <p>{t.about}</p>
            <input type="hidden" name="purpose" value="resetPassword" />
            <EmailField email={email} autofocus />
            <button>{t.submit}</button>
          </form>
        )
        : <p>{t.noMail(<code>{SET_PASSWORD}</code>)}</p>}
      <BackToSignIn />
    </Plain>
  );
};

const CodePage = (
  { purpose, email, problem, query = "", asksPassword }: CodeEntry & { asksPassword: boolean },
) => {
  const { codes: t } = texts().accounts;
  return (
    <Plain title={t.titles[purpose]}>
      <h1>{t.titles[purpose]}</h1>
      <DoneNote query={query} sentences={{ sent: t.sent[purpose](MINUTES) }} />
      <form method="post" action={VERIFY}>
        <Refusal problem={problem ?? null} />
        <input type="hidden" name="purpose" value={purpose} />
        <EmailField email={email} />
        <CodeField hint={t.codeHint} />
        {purpose === "resetPassword" && <NewPassword />}
        {asksPassword && <OwnPassword />}
        <button>{t.submit[purpose]}</button>
      </form>
      {email !== "" && (
        <form method="post" action={SEND_CODE}>
          <input type="hidden" name="purpose" value={purpose} />
          <input type="hidden" name="email" value={email} />
          <button class="link">{t.again}</button>
        </form>
      )}
      <BackToSignIn />
    </Plain>
  );
};

const EmailField = ({ email, autofocus = false }: { email: string; autofocus?: boolean }) => (
  <Field
    label={texts().accounts.fields.email}
    name="email"
    type="email"
    value={email}
    autocomplete="username"
    required
    autofocus={autofocus}
  />
);

export const CodeField = ({ hint }: { hint: string }) => (
  <Field
    label={texts().accounts.fields.code}
    name="otp"
    autocomplete="one-time-code"
    inputmode="numeric"
    hint={hint}
    required
    autofocus
  />
);

const OwnPassword = () => {
  const { codes: t, fields } = texts().accounts;
  return (
    <Field
      label={fields.password}
      name="password"
      type="password"
      autocomplete="current-password"
      hint={t.ownPasswordHint}
    />
  );
};

const NewPassword = () => {
  const { codes: t, fields } = texts().accounts;
  return (
    <Field
      label={fields.newPassword}
      name="newPassword"
      type="password"
      autocomplete="new-password"
      minlength={PASSWORD_LENGTH_MIN}
      hint={`${texts().shared.passwordHint} ${t.signsOut}`}
      required
    />
  );
};

const BackToSignIn = () => (
  <p>
    <a href="/dashboard/sign-in">{texts().accounts.codes.toSignIn}</a>
  </p>
);
