import type { PageHandler } from "../handler.ts";
import { nextPath, refererPath } from "./next.ts";
import { seeOther } from "./replies.ts";
import { isLanguage, languageCookie } from "./texts/language.ts";

/** Sets the language and returns to the page that sent the form. */
export const chooseLanguage: PageHandler<null> = async (c) => {
  const { services, body, state: { raw: { headers } } } = c.var;
  const chosen = (await body.form()).get("language");
  const cookie = languageCookie(services.cookies, isLanguage(chosen) ? chosen : null);
  return seeOther(nextPath(refererPath(headers.get("referer"))), [cookie]);
};
