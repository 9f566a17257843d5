import { Copy } from "./copy.tsx";

export const Snippet = ({ label, text }: { label: string; text: string }) => (
  <figure class="snippet">
    <figcaption>
      <span>{label}</span>
      <Copy text={text} />
    </figcaption>
    <pre tabindex={0} role="group" aria-label={label}><code>{text}</code></pre>
  </figure>
);
