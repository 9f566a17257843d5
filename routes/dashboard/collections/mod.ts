import type { Mount } from "../../call.ts";

export function collectionsPages(_mount: Mount): void {}
