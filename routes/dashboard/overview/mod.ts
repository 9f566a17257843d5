import type { Mount } from "../../call.ts";

export function overviewPages(_mount: Mount): void {}
