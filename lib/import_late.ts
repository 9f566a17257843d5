/**
 * Imports a module that few processes need. Deno loads modules of a literal `import("…")` at
 * startup, those of a computed URL when needed. @param url A result of `import.meta.resolve`, for a
 * module below `lib`, `openapi` or `routes`, which the process may read.
 */
export const importLate = <T>(url: string): Promise<T> => import(url);
