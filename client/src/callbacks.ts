import { isPage } from "./browser.ts";

/**
 * Calls a function of the application. What it throws is reported as an uncaught error of the page,
 * elsewhere to the console: Deno ends at `reportError`.
 */
export function notify(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    if (isPage) reportError(error);
    else console.error(error);
  }
}
