/** All limits in the order of docs/limits.md. Each is declared once, with its unit. */

export * from "./request_limits.ts";
export * from "./account_limits.ts";
