import { countedByAddress } from "@/openapi/security.ts";
import type { Mount } from "../../handler.ts";
import { session, visitor } from "../guards.ts";
import { get, post } from "../pages.ts";
import { ACCOUNT, MAILBOX, showAccount } from "./account.tsx";
import {
  changeEmailByForm,
  changePassword,
  clearAiKey,
  confirmEmailByForm,
  createTokenByForm,
  deleteAccount,
  deleteTokenByForm,
  endOtherSessions,
  endSession,
  renameByForm,
  saveAiKey,
} from "./account_forms.ts";
import {
  enterCodeByForm,
  FORGOTTEN,
  SEND_CODE,
  sendCodeByForm,
  showForgotten,
  showVerify,
  VERIFY,
} from "./codes.tsx";
import { showAccountMailbox, showAccountMailHtml } from "./account_mailbox.tsx";
import { register, showRegister, showSignIn, signIn, signOut } from "./sign_in.tsx";

export function accountPages(mount: Mount): void {
  mount(get("/dashboard/sign-in", visitor), showSignIn);
  mount(post("/dashboard/sign-in", countedByAddress(visitor)), signIn);
  mount(get("/dashboard/register", visitor), showRegister);
  mount(post("/dashboard/register", countedByAddress(visitor)), register);
  mount(post("/dashboard/sign-out", visitor), signOut);
  mount(get(FORGOTTEN, visitor), showForgotten);
  mount(get(VERIFY, visitor), showVerify);
  mount(post(VERIFY, countedByAddress(visitor)), enterCodeByForm);
  mount(post(SEND_CODE, countedByAddress(visitor)), sendCodeByForm);
  mount(get(ACCOUNT, session), showAccount);
  mount(get(MAILBOX, session), showAccountMailbox);
  mount(get(`${MAILBOX}/kept/{mailId}`, session), showAccountMailHtml);
  mount(post(`${ACCOUNT}/name`, session), renameByForm);
  mount(post(`${ACCOUNT}/email`, countedByAddress(session)), changeEmailByForm);
  mount(post(`${ACCOUNT}/email/confirm`, countedByAddress(session)), confirmEmailByForm);
  mount(post(`${ACCOUNT}/password`, countedByAddress(session)), changePassword);
  mount(post(`${ACCOUNT}/sessions`, session), endOtherSessions);
  mount(post(`${ACCOUNT}/sessions/{sessionId}`, session), endSession);
  mount(post(`${ACCOUNT}/tokens`, session), createTokenByForm);
  mount(post(`${ACCOUNT}/tokens/{tokenId}`, session), deleteTokenByForm);
  mount(post(`${ACCOUNT}/ai-key`, session), saveAiKey);
  mount(post(`${ACCOUNT}/ai-key/clear`, session), clearAiKey);
  mount(post(`${ACCOUNT}/delete`, countedByAddress(session)), deleteAccount);
}
