import { texts } from "../texts/mod.ts";

/** Patterns in the order of matching, because browsers also contain the names of later ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const RAW_LENGTH_MAX = 60;

/** Returns a `User-Agent` in words, such as `Firefox on Linux`, or the start of an unknown one. */
export function deviceText(userAgent: string | null): string {
  if (userAgent === null) return texts().shared.unknownDevice;
  const [browser, system] = [BROWSERS, SYSTEMS].map((known) =>
    known.find(([pattern]) => pattern.test(userAgent))?.[1]
  );
  if (browser === undefined) return userAgent.slice(0, RAW_LENGTH_MAX);
  return system === undefined ? browser : texts().shared.device(browser, system);
}
