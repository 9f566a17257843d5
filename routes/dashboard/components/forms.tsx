import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { messageOf } from "@/lib/http/respond.ts";
import type { Problem } from "@/lib/problems.ts";
import { Copy } from "./copy.tsx";
import { type Texts, texts } from "../texts/mod.ts";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly value?: string | null;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  /** Which keys a telephone shows. */
  readonly inputmode?: "numeric" | "decimal";
  readonly placeholder?: string | undefined;
  readonly minlength?: number;
  readonly maxlength?: number;
  /** Whether it is what most come to the page for. */
  readonly autofocus?: boolean;
}

/** A labelled field of one line. A password that was sent is never sent back. */
export const Field = (
  { label, name, type = "text", value = null, hint, required = false, ...rest }: FieldProps,
) => (
  <>
    <label>
      {label}
      <input
        name={name}
        type={type}
        value={value !== null && type !== "password" ? value : undefined}
        required={required}
        aria-describedby={hint !== undefined ? hintId(name) : undefined}
        {...rest}
      />
    </label>
    {hint !== undefined && <Hint of={name}>{hint}</Hint>}
  </>
);

/**
 * What a text area holds. In one, only these two marks are more than text; of a long text hono
 * would look at each character, and write every quote as six.
 */
export const areaText = (text: string) =>
  raw(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));

/** The id of the hint that describes a field. */
export const hintId = (name: string): string => `${name}-hint`;

/** Beside the label, not in it: there it would be read twice. */
export const Hint = ({ of, children }: { of: string; children?: Child }) => (
  <small class="hint" id={hintId(of)}>{children}</small>
);

/** What went wrong, beside the form that it is about. */
export const Refusal = ({ problem }: { problem: Problem | null }) =>
  problem === null ? null : <p class="note bad" role="alert">{messageOf(problem)}</p>;

/** Whether somebody else has changed first what a form would change. */
export const isConflict = ({ code }: Problem): boolean => code === "PRECONDITION_FAILED";

/**
 * Nothing is lost until it is said which of the two holds.
 *
 * @param now The tag of what it is now: with it as `over` the form is sent again.
 */
export const Conflict = (
  { what, here, now }: {
    what: keyof Texts["shared"]["conflict"];
    here: string;
    now: string | null;
  },
) => {
  const t = texts().shared;
  return (
    <div class="note bad" role="alert">
      <span>
        {t.conflict[what]} <a href={here} target="_blank">{t.seeNow}</a>
      </span>
      {now !== null && <button class="danger" name="over" value={now}>{t.saveMine}</button>}
    </div>
  );
};

/** What went well, after a form sent the browser here. */
export const Done = ({ children }: { children?: Child }) => (
  <p class="note good" role="status">{children}</p>
);

/** A value to be taken elsewhere. */
export const CopyField = ({ label, value }: { label: string; value: string }) => (
  <div class="copy">
    <label>
      {label}
      <input readonly value={value} />
    </label>
    <Copy text={value} />
  </div>
);

/**
 * Asks before something is done that cannot be undone: it is behind a word that opens, with what
 * will be lost.
 *
 * @param action Where the form is sent; it may have fields as children.
 * @param open Whether it is open from the start: what was refused is in sight.
 */
export const Ask = (
  { label, loss, action, button, open = false, children }: {
    label: string;
    loss: Child;
    action: string;
    button: string;
    open?: boolean;
    children?: Child;
  },
) => (
  <details class="ask" open={open}>
    <summary>{label}</summary>
    <form method="post" action={action}>
      <p>{loss}</p>
      {children}
      <button class="danger">{button}</button>
    </form>
  </details>
);

/** One choice with its sentence: a switch, or with a value one of several. */
export const Choice = (
  { name, value, isOn, label, children }: {
    name: string;
    value?: string;
    isOn: boolean;
    label: string;
    children?: Child;
  },
) => {
  const hint = value === undefined ? name : `${name}-${value}`;
  return (
    <div class="switch">
      <label>
        <input
          name={name}
          {...(value === undefined
            ? { type: "checkbox", role: "switch" }
            : { type: "radio", value })}
          checked={isOn}
          aria-describedby={hintId(hint)}
        />
        {label}
      </label>
      <Hint of={hint}>{children}</Hint>
    </div>
  );
};
