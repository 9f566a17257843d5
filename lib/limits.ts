/** All limits, in the order of docs/limits.md. */

export * from "./request_limits.ts";
export * from "./account_limits.ts";
