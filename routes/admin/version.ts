import configuration from "@/deno.json" with { type: "json" };

/** The versions, for people or as JSON. */
export function versionText(isJson: boolean): string {
  const versions = { corbel: configuration.version, deno: Deno.version.deno };
  return isJson
    ? JSON.stringify(versions)
    : Object.entries(versions).map((one) => one.join(" ")).join("\n");
}
