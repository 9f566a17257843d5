import type { RlsSetting } from "@/lib/documents/fields.ts";

/** How the rows of a collection are shared: its row-level security in one word. */
export type AccessChoice = "private" | "public-read" | "off";

export const choiceOf = ({ enabled, mode }: RlsSetting): AccessChoice => enabled ? mode : "off";

interface Rights {
  readonly read: string;
  readonly create: string;
  readonly change: string;
}

const SIGN_IN = "sign-in needed";
const SIGN_IN_FOR_ALL: Rights = { read: SIGN_IN, create: SIGN_IN, change: SIGN_IN };
const ONLY_READS: Rights = { read: "all rows", create: "refused", change: "refused" };

/** Who may do what. Of another user it says what they may do with rows that are not theirs. */
const RIGHTS: Record<AccessChoice, Record<"key" | "user" | "other" | "secret", Rights>> = {
  private: {
    key: SIGN_IN_FOR_ALL,
    user: { read: "own rows", create: "as owner", change: "own rows" },
    other: { read: "hidden", create: "as owner", change: "hidden" },
    secret: { read: "all rows", create: "any owner", change: "all rows" },
  },
  "public-read": {
    key: { ...SIGN_IN_FOR_ALL, read: "all rows" },
    user: { read: "all rows", create: "as owner", change: "own rows" },
    other: { read: "all rows", create: "as owner", change: "refused" },
    secret: { read: "all rows", create: "any owner", change: "all rows" },
  },
  off: {
    key: ONLY_READS,
    user: ONLY_READS,
    other: ONLY_READS,
    secret: { read: "all rows", create: "any row", change: "all rows" },
  },
};

const CALLERS = [
  ["key", "publishable key"],
  ["user", "+ signed-in user"],
  ["other", "+ another user"],
  ["secret", "secret key"],
] as const;

const CHOICES: Record<AccessChoice, { readonly label: string; readonly means: string }> = {
  private: {
    label: "Private",
    means: "Signed-in users see and change their own rows only.",
  },
  "public-read": {
    label: "Public, read-only",
    means: "Anyone with the key reads all rows; signed-in users change their own.",
  },
  off: {
    label: "No row rules",
    means: "Anyone with the key reads all rows; nobody writes with it.",
  },
};

const ORDER: readonly AccessChoice[] = ["private", "public-read", "off"];

/** Three choices, and what follows from the one that is chosen: style sheets show its table. */
export const Who = ({ chosen }: { chosen: string }) => (
  <>
    <div class="choices">
      {ORDER.map((choice) => (
        <label>
          <input type="radio" name="access" value={choice} checked={choice === chosen} />
          <b>{CHOICES[choice].label}</b>
          <small>{CHOICES[choice].means}</small>
        </label>
      ))}
    </div>
    {ORDER.map((choice) => <WhoTable choice={choice} />)}
  </>
);

const WhoTable = ({ choice }: { choice: AccessChoice }) => (
  <div class={`scroll who ${choice}`}>
    <table class="snug">
      <caption>{CHOICES[choice].label}</caption>
      <thead>
        <tr>
          <th scope="col">Who</th>
          <th scope="col">List and read</th>
          <th scope="col">Create</th>
          <th scope="col">Change, delete</th>
        </tr>
      </thead>
      <tbody>
        {CALLERS.map(([caller, label]) => {
          const { read, create, change } = RIGHTS[choice][caller];
          return (
            <tr>
              <th scope="row">{label}</th>
              {[read, create, change].map((words) => <td class={toneOf(words)}>{words}</td>)}
            </tr>
          );
        })}
      </tbody>
    </table>
  </div>
);

const toneOf = (words: string): string =>
  [SIGN_IN, "refused", "hidden"].includes(words) ? "no" : "yes";
