import type { ChooserProvider } from "@/lib/social/providers.ts";
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

export function userChoicePages(mount: Mount, provider: ChooserProvider): void {
  mount(get(CHOOSE_USER, visitor), showUserChoice(provider));
  mount(post(CHOOSE_USER, visitor), chooseUser(provider));
}

export function socialPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showSignInSettings);
  mount(post(PATH, member("admin")), saveSiteUrlByForm);
  mount(post(`${PATH}/sign-up`, member("admin")), saveSignUpByForm);
  mount(get(`${PATH}/tried`, member("admin")), showTried);
  // A link instead of a form, because `form-action` limits the targets of forms.
  mount(get(`${PROVIDER}/try`, member("admin")), startTrial);
  mount(get(PROVIDER, member("viewer")), backToSignIn);
  mount(post(PROVIDER, member("admin")), saveProviderByForm);
}
