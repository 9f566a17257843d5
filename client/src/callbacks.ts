import { isPage } from "./browser.ts";

/** Reports an error in a page as uncaught, and prints it elsewhere: Deno exits at `reportError`. */
export function notify(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    if (isPage) reportError(error);
    else console.error(error);
  }
}
