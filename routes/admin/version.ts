import { VERSION } from "@/lib/runtime/version.ts";

/** The versions, for people or as JSON. */
export function versionText(isJson: boolean): string {
  const versions = { corbel: VERSION, deno: Deno.version.deno };
  return isJson
    ? JSON.stringify(versions)
    : Object.entries(versions).map((one) => one.join(" ")).join("\n");
}
