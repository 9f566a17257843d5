/** A time in the viewer's zone, or in UTC without scripts; the exact value is its title. */
export const When = ({ at }: { at: string }) => (
  <local-time>
    <time datetime={at} title={at}>{`${at.slice(0, 16).replace("T", " ")} UTC`}</time>
  </local-time>
);
