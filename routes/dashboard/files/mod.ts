import type { Mount } from "../../call.ts";

export function filesPages(_mount: Mount): void {}
