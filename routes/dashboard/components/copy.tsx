import { texts } from "../texts/mod.ts";

/** A button that copies a text. @param label Label of the button; "Copy" by default. */
export const Copy = ({ text, label }: { text: string; label?: string }) => {
  const t = texts().shared.copy;
  return (
    <copy-text text={text} label={label ?? t.copy} copied={t.copied} failed={t.failed}></copy-text>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "copy-text": { text: string; label: string; copied: string; failed: string };
    }
  }
}
