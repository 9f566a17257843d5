/** Text to be pasted elsewhere as it is. */
export const Snippet = ({ label, text }: { label: string; text: string }) => (
  <figure class="snippet">
    <figcaption>
      <span>{label}</span>
      <copy-text text={text} label="Copy"></copy-text>
    </figcaption>
    <pre tabindex={0} role="group" aria-label={label}><code>{text}</code></pre>
  </figure>
);
