import type { Usage } from "@/lib/files/usage.ts";
import { Meter } from "../components/meter.tsx";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";

/** What the project's files take, of what they may. */
export const UsageBar = ({ usage: { used, reserved, limit } }: { usage: Usage }) => (
  <div>
    <Meter label={texts().files.used} used={used} limit={limit} bytes />
    {limit === null && <p class="muted">{texts().files.inOwnBucket}</p>}
    {reserved > 0 && <p class="muted">{texts().shared.heldForUploads(bytesText(reserved))}</p>}
  </div>
);
