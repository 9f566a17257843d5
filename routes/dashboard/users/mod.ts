import type { Mount } from "../../call.ts";

export function usersPages(_mount: Mount): void {}
