import type { Mount } from "../../call.ts";

export function aiPages(_mount: Mount): void {}
