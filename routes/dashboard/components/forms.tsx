import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { publicMessage } from "@/lib/http/respond.ts";
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
  readonly inputmode?: "numeric" | "decimal";
  readonly placeholder?: string | undefined;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly autofocus?: boolean;
}

/** A labelled field of one line. Passwords are never sent back. */
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

/** Escapes only `&` and `<`: hono's escaping is slow for long texts and replaces quotes too. */
export const areaHtml = (text: string) =>
  raw(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));

export const hintId = (name: string): string => `${name}-hint`;

/** A hint outside of the label, because screen readers would read it twice inside. */
export const Hint = ({ of, children }: { of: string; children?: Child }) => (
  <small class="hint" id={hintId(of)}>{children}</small>
);

export const Refusal = ({ problem }: { problem: Problem | null }) =>
  problem === null ? null : <p class="note bad" role="alert">{publicMessage(problem)}</p>;

/** Whether another change was saved after the form was opened. */
export const isConflict = ({ code }: Problem): boolean => code === "PRECONDITION_FAILED";

/** Note of an edit conflict. @param now Entity tag that overwrites the saved version as `over`. */
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

export const SuccessNote = ({ children }: { children?: Child }) => (
  <p class="note good" role="status">{children}</p>
);

export const CopyField = ({ label, value }: { label: string; value: string }) => (
  <div class="copy">
    <label>
      {label}
      <input readonly value={value} />
    </label>
    <Copy text={value} />
  </div>
);

/** Collapsed form for an irreversible action. Its fields are the children. */
export const ConfirmForm = (
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

/** A switch, or with a value a radio button, with an explanation. */
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
