import type { ChosenProvider } from "@/lib/social/providers.ts";
import type { Mount } from "../../handler.ts";
import { member, visitor } from "../guards.ts";
import { get, post } from "../pages.ts";
import {
  backToSignIn,
  saveProviderByForm,
  saveSignUpByForm,
  saveSiteUrlByForm,
  showSignInSettings,
} from "./sign_in.tsx";
import { CHOOSE_USER, chooseUser, showUserChoice } from "./choose_user.tsx";
import { showTried, startTrial } from "./trial.tsx";

const PATH = "/dashboard/projects/{projectId}/sign-in";
const PROVIDER = `${PATH}/providers/{provider}`;

/** Only where users may choose who they are. */
export function userChoicePages(mount: Mount, chosen: ChosenProvider): void {
  mount(get(CHOOSE_USER, visitor), showUserChoice(chosen));
  mount(post(CHOOSE_USER, visitor), chooseUser(chosen));
}

export function socialPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showSignInSettings);
  mount(post(PATH, member("admin")), saveSiteUrlByForm);
  mount(post(`${PATH}/sign-up`, member("admin")), saveSignUpByForm);
  mount(get(`${PATH}/tried`, member("admin")), showTried);
  // A link and no form: where a form leads to is bound by `form-action`.
  mount(get(`${PROVIDER}/try`, member("admin")), startTrial);
  mount(get(PROVIDER, member("viewer")), backToSignIn);
  mount(post(PROVIDER, member("admin")), saveProviderByForm);
}
