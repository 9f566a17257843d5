import type { PageHandler } from "../handler.ts";
import { nextPath, refererPath } from "./next.ts";
import { seeOther } from "./replies.ts";
import { isLanguage, languageCookie } from "./texts/language.ts";

/** Comes back to the page that the form was on. */
export const chooseLanguage: PageHandler<null> = async (c) => {
  const { services, body, state: { raw: { headers } } } = c.var;
  const chosen = (await body.form()).get("language");
  const cookie = languageCookie(services.cookies, isLanguage(chosen) ? chosen : null);
  return seeOther(nextPath(refererPath(headers.get("referer"))), [cookie]);
};
