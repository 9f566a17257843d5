import type { Mount } from "../../call.ts";

export function socialPages(_mount: Mount): void {}
