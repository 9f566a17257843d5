import { messageOf } from "@/lib/http/respond.ts";
import type { ShownMailSettings } from "@/lib/mail/settings.ts";
import type { Problem } from "@/lib/problems.ts";
import { Ask, Done, Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import type { MailFate } from "./mail_page.ts";
import type { EnteredServer } from "./server_form.ts";

type OwnServer = ShownMailSettings["own"];

/** Who sends the mails of the project now. */
export const SenderCard = (
  { own, fate, used, limit }: {
    own: OwnServer;
    fate: MailFate;
    used: number;
    limit: number | null;
  },
) => (
  <article class="card">
    <h2>
      Who sends{" "}
      <span class={fate === "sent" ? "badge on" : "badge warn"}>
        {own !== null
          ? "your server"
          : { sent: "this server", kept: "nobody", impossible: "nobody" }[fate]}
      </span>
    </h2>
    <p>{sentenceOf(own, fate)}</p>
    {own === null && fate === "sent" && (
      <Meter
        label="Mails this month"
        used={used}
        limit={limit}
      />
    )}
  </article>
);

function sentenceOf(own: OwnServer, fate: MailFate): string {
  if (own !== null) {
    return `Mails go out by ${own.host}, as many as that server takes. Templates, sign-up and ` +
      "your application all use it.";
  }
  if (fate === "sent") {
    return "Mails go out by the mail server of whoever runs Corbel, up to the plan's limit a " +
      "month. Those of sign-in count too, and are never refused for it.";
  }
  return fate === "kept"
    ? "Mails are kept for whoever develops, and not sent. A server of your own sends them."
    : "No mail can be sent: neither this project nor whoever runs Corbel has set a mail server.";
}

interface OwnServerProps {
  readonly path: string;
  readonly own: OwnServer;
  readonly entered: EnteredServer;
  readonly problem: Problem | null;
  readonly check:
    | { readonly to: string; readonly answer: string }
    | { readonly problem: Problem }
    | null;
  /** Who gets a test. */
  readonly testTo: string;
  readonly canEdit: boolean;
}

export const OwnServerCard = (card: OwnServerProps) => {
  const { own, canEdit, path, testTo, check } = card;
  return (
    <article class="card">
      <h2>Your own server</h2>
      {!canEdit && (own === null ? <p>None.</p> : <OwnFacts own={own} />)}
      {canEdit && <ServerForm {...card} />}
      <CheckNote check={check} />
      {canEdit && own !== null && (
        <div class="acts">
          <form method="post" action={`${path}/check`}>
            <button class="quiet">{`Send a test to ${testTo}`}</button>
          </form>
          <Ask
            label="Disconnect"
            loss="Mails that wait for this server fail. Its address and password are gone."
            action={`${path}/clear`}
            button="Disconnect the server"
          />
        </div>
      )}
    </article>
  );
};

const CheckNote = ({ check }: { check: OwnServerProps["check"] }) => {
  if (check === null) return null;
  if ("problem" in check) return <p class="note bad" role="alert">{messageOf(check.problem)}</p>;
  return <Done>{`The server took a mail to ${check.to}. It said: ${check.answer}`}</Done>;
};

const OwnFacts = ({ own }: { own: NonNullable<OwnServer> }) => (
  <dl class="facts">
    <dt>Server</dt>
    <dd class="mono">{`${own.host}:${own.port}`}</dd>
    <dt>Password</dt>
    <dd>{own.hasPassword ? "stored" : "none"}</dd>
    <dt>From</dt>
    <dd>{own.from}</dd>
    <dt>Replies to</dt>
    <dd>{own.replyTo ?? "the sender"}</dd>
  </dl>
);

/** What is typed in pieces, for which the contract has one address. */
const WHERE = "Check host and port, and give user and password both or neither.";

const ServerForm = ({ path, own, entered, problem }: OwnServerProps) => {
  const at = (name: string) => problem?.faults.some(({ path }) => path === name) ?? false;
  const isTold = at("url") || at("from") || at("replyTo");
  const kept = own !== null && own.hasPassword && {
    placeholder: "stored, leave empty to keep",
  };
  return (
    <form method="post" action={path}>
      <Refusal problem={isTold ? null : problem} />
      <div class="pair">
        <Field
          label="Host"
          name="host"
          value={entered.host}
          placeholder="smtp.example.com"
          required
        />
        <Field label="Port" name="port" value={entered.port} required />
      </div>
      {at("url") && <p class="note bad" role="alert">{WHERE}</p>}
      <label>
        Encryption
        <select name="scheme">
          <option value="smtp" selected={entered.scheme === "smtp"}>
            STARTTLS, mostly port 587
          </option>
          <option value="smtps" selected={entered.scheme === "smtps"}>TLS, mostly port 465</option>
        </select>
      </label>
      <div class="pair">
        <Field label="User" name="user" value={entered.user} autocomplete="off" {...kept} />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="new-password"
          {...kept}
        />
      </div>
      <Field
        label="From"
        name="from"
        value={entered.from}
        placeholder="Blog <blog@example.com>"
        required
      />
      {at("from") && <FieldNote problem={problem!} name="from" />}
      <Field
        label="Replies to"
        name="replyTo"
        value={entered.replyTo}
        placeholder="the sender"
      />
      {at("replyTo") && <FieldNote problem={problem!} name="replyTo" />}
      <button>Save server</button>
    </form>
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

export const LanguageCard = ({ path, language, problem, canEdit }: LanguageProps) => (
  <article class="card">
    <h2>Language</h2>
    <p>
      Of mails to whoever asks for no language that there is a template in. Corbel's own words are
      English.
    </p>
    {canEdit
      ? (
        <form method="post" action={`${path}/language`}>
          <Refusal problem={problem} />
          <Field
            label="Language of mails"
            name="mailLanguage"
            value={language}
            placeholder="en"
            hint="As en or pt-BR; empty for English."
            maxlength={35}
          />
          <button>Save language</button>
        </form>
      )
      : <span>{language === "" ? "English" : language}</span>}
  </article>
);
