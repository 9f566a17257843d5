import { publicMessage } from "@/lib/http/respond.ts";
import type { MailSettingsInfo } from "@/lib/mail/settings.ts";
import type { Problem } from "@/lib/problems.ts";
import { ConfirmForm, Field, Refusal, SuccessNote } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { texts } from "../texts/mod.ts";
import type { MailHandling } from "./mail_page.ts";
import type { EnteredServer } from "./server_form.ts";

type OwnServer = MailSettingsInfo["own"];

export const SenderCard = (
  { own, handling, used, limit }: {
    own: OwnServer;
    handling: MailHandling;
    used: number;
    limit: number | null;
  },
) => {
  const t = texts().mail.sender;
  return (
    <article class="card">
      <h2>
        {t.title}{" "}
        <span class={handling === "sent" ? "badge on" : "badge warn"}>
          {own === null ? t[handling] : t.own}
        </span>
      </h2>
      <p>{own === null ? t.about[handling] : t.aboutOwn(own.host)}</p>
      {own === null && handling === "sent" && (
        <Meter
          label={t.ofMonth}
          used={used}
          limit={limit}
        />
      )}
    </article>
  );
};

interface OwnServerProps {
  readonly path: string;
  readonly own: OwnServer;
  readonly entered: EnteredServer;
  readonly problem: Problem | null;
  readonly check:
    | { readonly to: string; readonly answer: string }
    | { readonly problem: Problem }
    | null;
  readonly testTo: string;
  readonly canEdit: boolean;
}

export const OwnServerCard = (card: OwnServerProps) => {
  const { own, canEdit, path, testTo, check } = card;
  const t = texts().mail.ownServer;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {!canEdit && (own === null ? <p>{t.none}</p> : <OwnFacts own={own} />)}
      {canEdit && <ServerForm {...card} />}
      <CheckNote check={check} />
      {canEdit && own !== null && (
        <div class="acts">
          <form method="post" action={`${path}/check`}>
            <button class="quiet">{t.test(testTo)}</button>
          </form>
          <ConfirmForm
            label={t.disconnect}
            loss={t.disconnectLoss}
            action={`${path}/clear`}
            button={t.disconnectNow}
          />
        </div>
      )}
    </article>
  );
};

const CheckNote = ({ check }: { check: OwnServerProps["check"] }) => {
  if (check === null) return null;
  if ("problem" in check) {
    return <p class="note bad" role="alert">{publicMessage(check.problem)}</p>;
  }
  return <SuccessNote>{texts().mail.ownServer.tested(check.to, check.answer)}</SuccessNote>;
};

const OwnFacts = ({ own }: { own: NonNullable<OwnServer> }) => {
  const t = texts().mail.ownServer;
  return (
    <dl class="facts">
      <dt>{t.server}</dt>
      <dd class="mono">{`${own.host}:${own.port}`}</dd>
      <dt>{t.password}</dt>
      <dd>{own.hasPassword ? t.passwordStored : t.noPassword}</dd>
      <dt>{t.from}</dt>
      <dd>{own.from}</dd>
      <dt>{t.replyTo}</dt>
      <dd>{own.replyTo ?? t.theSender}</dd>
    </dl>
  );
};

const SAMPLE_HOST = "smtp.example.com";

const ServerForm = ({ path, own, entered, problem }: OwnServerProps) => {
  const t = texts().mail.ownServer;
  const isFaulty = (name: string) => problem?.faults.some(({ path }) => path === name) ?? false;
  const isShownAtField = isFaulty("url") || isFaulty("from") || isFaulty("replyTo");
  const kept = own !== null && own.hasPassword && { placeholder: t.keep };
  return (
    <form method="post" action={path}>
      <Refusal problem={isShownAtField ? null : problem} />
      <div class="pair">
        <Field
          label={t.host}
          name="host"
          value={entered.host}
          placeholder={SAMPLE_HOST}
          required
        />
        <Field label={t.port} name="port" value={entered.port} required />
      </div>
      {isFaulty("url") && <p class="note bad" role="alert">{t.where}</p>}
      <Encryption scheme={entered.scheme} />
      <div class="pair">
        <Field label={t.user} name="user" value={entered.user} autocomplete="off" {...kept} />
        <Field
          label={t.password}
          name="password"
          type="password"
          autocomplete="new-password"
          {...kept}
        />
      </div>
      <Field
        label={t.from}
        name="from"
        value={entered.from}
        placeholder={t.fromSample}
        required
      />
      {isFaulty("from") && <FieldNote problem={problem!} name="from" />}
      <Field
        label={t.replyTo}
        name="replyTo"
        value={entered.replyTo}
        placeholder={t.theSender}
      />
      {isFaulty("replyTo") && <FieldNote problem={problem!} name="replyTo" />}
      <button>{t.save}</button>
    </form>
  );
};

const Encryption = ({ scheme }: Pick<EnteredServer, "scheme">) => {
  const t = texts().mail.ownServer;
  return (
    <label>
      {t.encryption}
      <select name="scheme">
        <option value="smtp" selected={scheme === "smtp"}>{t.startTls}</option>
        <option value="smtps" selected={scheme === "smtps"}>{t.tls}</option>
      </select>
    </label>
  );
};

const FieldNote = ({ problem: { faults }, name }: { problem: Problem; name: string }) => (
  <p class="note bad" role="alert">
    {faults.find(({ path }) =>
      path === name
    )?.message}
  </p>
);

interface LanguageProps {
  readonly path: string;
  readonly language: string;
  readonly problem: Problem | null;
  readonly canEdit: boolean;
}

const SAMPLE_LANGUAGE = "en";

export const LanguageCard = ({ path, language, problem, canEdit }: LanguageProps) => {
  const t = texts().mail.language;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      {canEdit
        ? (
          <form method="post" action={`${path}/language`}>
            <Refusal problem={problem} />
            <Field
              label={t.ofMails}
              name="mailLanguage"
              value={language}
              placeholder={SAMPLE_LANGUAGE}
              hint={t.hint}
              maxlength={35}
            />
            <button>{t.save}</button>
          </form>
        )
        : <span>{language === "" ? t.english : language}</span>}
    </article>
  );
};
