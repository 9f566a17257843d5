import type { Mount } from "../../call.ts";

export function documentsPages(_mount: Mount): void {}
