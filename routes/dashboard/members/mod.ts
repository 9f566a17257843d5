import type { Mount } from "../../call.ts";

export function membersPages(_mount: Mount): void {}
