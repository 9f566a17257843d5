import type { RlsSetting } from "@/lib/documents/fields.ts";
import { type Texts, texts } from "../texts/mod.ts";

/** Row-level security of a collection in one word. */
export type AccessChoice = "private" | "public-read" | "off";

export const choiceOf = ({ enabled, mode }: RlsSetting): AccessChoice => enabled ? mode : "off";

type Right = keyof Texts["collections"]["access"]["rights"];

interface Rights {
  readonly read: Right;
  readonly create: Right;
  readonly change: Right;
}

const SIGN_IN_FOR_ALL: Rights = { read: "signIn", create: "signIn", change: "signIn" };
const ONLY_READS: Rights = { read: "allRows", create: "refused", change: "refused" };

type Caller = keyof Texts["collections"]["access"]["callers"];

/** Rights by caller. `other` is a user who does not own the rows. */
const RIGHTS: Record<AccessChoice, Record<Caller, Rights>> = {
  private: {
    key: SIGN_IN_FOR_ALL,
    user: { read: "ownRows", create: "asOwner", change: "ownRows" },
    other: { read: "hidden", create: "asOwner", change: "hidden" },
    secret: { read: "allRows", create: "anyOwner", change: "allRows" },
  },
  "public-read": {
    key: { ...SIGN_IN_FOR_ALL, read: "allRows" },
    user: { read: "allRows", create: "asOwner", change: "ownRows" },
    other: { read: "allRows", create: "asOwner", change: "refused" },
    secret: { read: "allRows", create: "anyOwner", change: "allRows" },
  },
  off: {
    key: ONLY_READS,
    user: ONLY_READS,
    other: ONLY_READS,
    secret: { read: "allRows", create: "anyRow", change: "allRows" },
  },
};

const CALLERS: readonly Caller[] = ["key", "user", "other", "secret"];

const ORDER: readonly AccessChoice[] = ["private", "public-read", "off"];

/** The three choices with a table of rights for each. Style sheets show that of the chosen one. */
export const AccessChoices = ({ chosen }: { chosen: string }) => {
  const { choices } = texts().collections.access;
  return (
    <>
      <div class="choices">
        {ORDER.map((choice) => (
          <label>
            <input type="radio" name="access" value={choice} checked={choice === chosen} />
            <b>{choices[choice].label}</b>
            <small>{choices[choice].means}</small>
          </label>
        ))}
      </div>
      {ORDER.map((choice) => <RightsTable choice={choice} />)}
    </>
  );
};

const RightsTable = ({ choice }: { choice: AccessChoice }) => {
  const t = texts().collections.access;
  return (
    <div
      class={`scroll who ${choice}`}
      role="region"
      aria-label={t.choices[choice].label}
      tabindex={0}
    >
      <table class="snug">
        <caption>{t.choices[choice].label}</caption>
        <thead>
          <tr>
            <th scope="col">{t.who}</th>
            <th scope="col">{t.read}</th>
            <th scope="col">{t.create}</th>
            <th scope="col">{t.change}</th>
          </tr>
        </thead>
        <tbody>
          {CALLERS.map((caller) => {
            const { read, create, change } = RIGHTS[choice][caller];
            return (
              <tr>
                <th scope="row">{t.callers[caller]}</th>
                {[read, create, change].map((right) => (
                  <td class={DENIED.includes(right) ? "no" : "yes"}>{t.rights[right]}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

/** Rights that do not permit anything. */
const DENIED: readonly Right[] = ["signIn", "refused", "hidden"];
