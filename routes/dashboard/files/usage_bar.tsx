import type { Usage } from "@/lib/files/usage.ts";
import { Meter } from "../components/meter.tsx";
import { bytesText } from "@/lib/text/amounts.ts";

/** What the project's files take, of what they may. */
export const UsageBar = ({ usage: { used, reserved, limit } }: { usage: Usage }) => (
  <div>
    <Meter label="Used" used={used} limit={limit} bytes />
    {limit === null && <p class="muted">New files go to the project's own bucket.</p>}
    {reserved > 0 && <p class="muted">{bytesText(reserved)} are held for uploads under way.</p>}
  </div>
);
