import type { Usage } from "@/lib/files/usage.ts";
import { bytesText } from "../components/texts.ts";

/** What the project's files take, of what they may. */
export const UsageBar = ({ usage: { used, reserved, limit } }: { usage: Usage }) => (
  <label class="usage">
    {bytesText(used)} used
    {limit !== null && ` of ${bytesText(limit)}`}
    {reserved > 0 && `, ${bytesText(reserved)} held for uploads`}
    {limit === null
      ? " in Corbel's storage; new files go to the project's own"
      : <progress max={limit} value={used + reserved}></progress>}
  </label>
);
