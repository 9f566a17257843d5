import type { signIn as en } from "../en/sign_in.tsx";

const signUp: typeof en.signUp = {
  title: "Registrierung",
  about:
    "Wer Benutzer dieses Projekts werden darf, und womit sie sich neben den Anbietern anmelden.",
  kept: (mailbox) => <>E-Mails werden hier nicht gesendet: Codes stehen im {mailbox("Postfach")}.
  </>,
  noMail: ({ emailCode, requireVerifiedEmail }) => {
    const missed = [
      ...(emailCode ? ["niemand kann sich mit einem Code anmelden"] : []),
      ...(requireVerifiedEmail
        ? ["niemand kann die E-Mail-Adresse bestätigen, die ein Passwort verlangt"]
        : []),
    ];
    return `Es kann keine E-Mail gesendet werden: ${missed.join(", und ")}. ` +
      "Ohne E-Mail-Server bekommt auch niemand einen Code, um ein Passwort zurückzusetzen.";
  },
  setServer: "E-Mail-Server einrichten",
  newUsers: "Neue Benutzer",
  open: "Offen",
  closed: "Geschlossen",
  states: { open: "offen", closed: "geschlossen" },
  ways: "Wege der Anmeldung",
  passwords: "Passwörter",
  labels: {
    password: "Passwort",
    emailCode: "Code per E-Mail",
    anonymous: "Anonym",
    requireVerifiedEmail: "Nur bestätigte E-Mail-Adressen",
  },
  says: {
    open: "Wer will, wird Benutzer, auf jedem Weg, der eingeschaltet ist.",
    closed:
      "Niemand wird von selbst Benutzer, auch nicht über einen Anbieter. Wer schon Benutzer " +
      "ist, meldet sich an wie bisher; weitere können hier und vom eigenen Server angelegt werden.",
    password:
      "Benutzer registrieren sich mit E-Mail-Adresse und eigenem Passwort und melden sich " +
      "damit an.",
    emailCode: "Ein sechsstelliger Code, der an die Adresse gesendet wird, meldet Benutzer an.",
    anonymous: "Besucher werden Benutzer, ohne etwas anzugeben, und können später eine Adresse " +
      "hinzufügen.",
    requireVerifiedEmail:
      "Ein Passwort meldet erst an, wenn der Code eingegeben wurde, der an die " +
      "Adresse gesendet wurde. Dann verrät die Registrierung nicht, wer ein Konto hat.",
  },
  shortestIn: "Kürzestes Passwort, in Zeichen",
  shortest: "Kürzestes Passwort",
  lengths: (min, max) => `Von ${min} bis ${max}. Vorhandene Passwörter bleiben gültig.`,
  characters: (count) => `${count} Zeichen`,
  save: "Registrierung speichern",
};

const provider: typeof en.provider = {
  none: "Noch nicht eingerichtet.",
  setUp: "Einrichten",
  register: (console) => (
    <>
      Die Callback-URL in einer OAuth-Anwendung bei {console}{" "}
      eintragen und deren Client-ID und Secret hier einfügen.
    </>
  ),
  callbackUrl: "Callback-URL",
  clientId: "Client-ID",
  clientSecret: "Client-Secret",
  storedKeep: "gespeichert; leer lassen zum Behalten",
  stored: "gespeichert",
  enabled: "Eingeschaltet",
  needsSite: "Zum Ausprobieren oben die Site URL eintragen.",
  sameEmailAs: "Gleiche E-Mail-Adresse wie ein Benutzer eines anderen Anbieters",
  sameEmail: "Gleiche E-Mail-Adresse",
  linking: {
    verified: "meldet als diesen Benutzer an, wenn der Anbieter sie bestätigt hat",
    never: "ist ein anderer Benutzer",
  },
};

const choice: typeof en.choice = {
  onlyInDev: "nur in dev",
  about: (name) => (
    <>
      Benutzer wählen auf einer Seite dieses Servers, wer sie sind; einzurichten ist nichts. In der
      Anwendung ist es der Anbieter <span class="mono">{name}</span>, zum Beispiel{" "}
      <span class="mono">{`signInWith("${name}")`}</span>. Ein Server, der mit{" "}
      <span class="mono">start</span> läuft, hat ihn nicht.
    </>
  ),
  needsSite: "Zum Benutzen oben die Site URL eintragen.",
  title: "Anmelden als",
  heading: "Anmelden als …",
  chooseBy: (provider) => `${provider}, nur in dev: auswählen, wer man in der Anwendung ist.`,
  another: "Andere E-Mail-Adresse",
  anotherIs: "Wer diese Adresse im Projekt schon hat, oder ein neuer Benutzer.",
  signIn: "Anmelden",
  signInAs: (name) => `Anmelden als ${name}`,
  signingIn: "Anmeldung läuft",
  youAre: (email) => `Angemeldet wird ${email}.`,
  goOn: "Weiter zur Anwendung",
};

const trial: typeof en.trial = {
  title: "Anmeldung ausprobiert",
  again: "Die Anmeldung ist fehlgeschlagen, bitte noch einmal versuchen",
  failed: "Es hat nicht geklappt",
  why: (error) => (
    <>
      Client-ID, Client-Secret und Callback-URL müssen die der OAuth-Anwendung beim Anbieter sein.
      Die Anwendung bekäme diesen Text als {error}.
    </>
  ),
  works: "Es klappt: Angemeldet hat sich dieser Benutzer. Die Sitzung wurde sofort beendet.",
  back: "Zurück zur Anmeldung",
  gets: "Was die Anwendung bekommt",
  where: (url) => <>Unter {url}, in der Query; das Token steht im Fragment.</>,
  once: "einmal gültig, eine Minute lang",
  unknown: "unbekannt",
  token: "das Zugriffstoken",
};

export const signIn: typeof en = {
  title: "Anmeldung",
  trying: "„Ausprobieren“ meldet als Benutzer dieses Projekts an, wie es die Anwendung täte, und " +
    "zeigt, wer das ist. Die Sitzung wird sofort beendet; der Benutzer bleibt.",
  siteUrl: "Site URL",
  siteUrlIs: (path) => (
    <>
      Nach der Anmeldung bei einem Anbieter, der danach fragt, kommen Benutzer unter dieser Adresse
      nach {path} zurück; Links in E-Mails führen dorthin.
    </>
  ),
  none: "keine",
  on: "an",
  off: "aus",
  save: "Speichern",
  saved: "Gespeichert.",
  tryIt: "Ausprobieren",
  signUp,
  provider,
  choice,
  trial,
};
