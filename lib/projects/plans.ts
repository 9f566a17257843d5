import {
  FREE_FILE_BYTES_MAX,
  FREE_STORAGE_BYTES,
  PRO_FILE_BYTES_MAX,
  PRO_STORAGE_BYTES,
} from "../limits.ts";
import type { Id } from "../store/port.ts";

/** What an account has paid for. */
export type PlanName = "free" | "pro";

/** What a plan allows. */
export interface Plan {
  /** Bytes of all files of a project in our own store. */
  readonly storageBytes: number;
  /** Bytes of one file in our own store. */
  readonly fileBytesMax: number;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: { storageBytes: FREE_STORAGE_BYTES, fileBytesMax: FREE_FILE_BYTES_MAX },
  pro: { storageBytes: PRO_STORAGE_BYTES, fileBytesMax: PRO_FILE_BYTES_MAX },
};

/** The plan of a project: the free one, as long as projects have no owners who pay for more. */
export const planOf = (_projectId: Id): Plan => PLANS.free;
