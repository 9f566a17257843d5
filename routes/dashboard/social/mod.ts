import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import {
  backToSignIn,
  saveProviderByForm,
  saveSignUpByForm,
  saveSiteUrlByForm,
  showSignInSettings,
} from "./sign_in.tsx";
import { showTried, startTrial } from "./trial.tsx";

const PATH = "/dashboard/projects/{projectId}/sign-in";
const PROVIDER = `${PATH}/providers/{provider}`;

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
