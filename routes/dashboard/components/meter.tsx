import { bytesText, countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";

/** Used amount and limit; only the amount if the limit is null. */
export const Meter = (
  { label, used, limit, bytes = false }: {
    label: string;
    used: number;
    limit: number | null;
    bytes?: boolean;
  },
) => {
  const text = bytes ? bytesText : countText;
  if (limit === null) return <p class="meter">{label}: {text(used)}</p>;
  return (
    <label class="meter">
      <span>{label}</span> <span>{texts().shared.ofLimit(text(used), text(limit))}</span>
      <progress max={Math.max(limit, 1)} value={Math.min(used, limit)}></progress>
    </label>
  );
};
