/**
 * Imports a module that few processes need. Deno reads all that an `import("…")` names before the
 * first line runs, also where it is never reached; an address that is worked out it reads only then.
 *
 * @param url As `import.meta.resolve` makes it, of a module below `lib`, `openapi` or `routes`: what
 * is not known beforehand takes the permission to read it.
 */
export const importLate = <T>(url: string): Promise<T> => import(url);
