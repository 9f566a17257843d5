import type { Child } from "hono/jsx";

type Link = (text: string) => Child;

const list = {
  title: "Users",
  searchLabel: "E-mail contains",
  searchHint: "E-mail",
  search: "Search",
  create: "New user",
  noMatch: "No user has an e-mail that contains this text.",
  showAll: "Show all users",
  noMore: "There are no more users.",
  none: (signIn: Link) => (
    <>
      No user has signed in so far. Users come by themselves, by e-mail or a provider:{" "}
      {signIn("see which ways are on")}.
    </>
  ),
  noneForAdmin: (signIn: Link) => (
    <>
      No user has signed in so far. Users come by themselves, by e-mail or a provider:{" "}
      {signIn("set up sign-in")}.
    </>
  ),
  pages: "Pages",
  firstPage: "First page",
  nextPage: "Next page",
  user: "User",
  done: { deleted: "The user is deleted." },
};

const profile = {
  title: "Profile",
  none: "none",
  id: "ID",
  email: "E-mail",
  verified: "verified",
  notVerified: "not verified",
  name: "Name",
  username: "User name",
  picture: "Picture",
  signsInBy: "Signs in by",
  ways: {
    password: "password",
    session: "nothing: their session is all they have",
    none: "nothing",
    code: "a code, if codes are on",
  },
  roles: "Roles",
  noRoles: "none",
  claims: "Claims",
  lastSignIn: "Last sign-in",
  never: "never",
  since: "Since",
  disabled: "disabled",
  anonymous: "anonymous",
};

const sessions = {
  title: "Sessions",
  none: "Not signed in anywhere.",
  noMore: "There are no more sessions.",
  more: "More sessions",
  used: (when: Child, since: Child) => <>used {when} · since {since}</>,
  usedFrom: (network: string, when: Child, since: Child) => (
    <>network {network} · used {when} · since {since}</>
  ),
  end: "End",
  endLoss: "The user is signed out on this device, and may sign in again.",
  endNow: "End this session",
  endAll: "End all sessions",
  endAllLoss: "The user is signed out on every device, and may sign in again.",
  endAllNow: "End all",
};

const testToken = {
  title: "Test token",
  about: (minutes: number) =>
    "An access token of this user, to try calls as they would make them. It is good for " +
    `${minutes} minutes and opens a session, which ends with it or by “End” above.`,
  create: "Create test token",
  another: "Create another",
  done: (minutes: number) => `Good for ${minutes} minutes, and shown this once.`,
  token: "Access token",
  curl: "The user's own profile, with curl",
};

const access = {
  title: "Access",
  about: "A disabled user cannot sign in until enabled again. Documents stay as they are.",
  enable: "Enable user",
  disable: "Disable user",
  disableLoss: "All sessions end at once, and nothing signs this user in any more.",
  disableNow: "Disable",
  delete: "Delete user",
  deleteLoss: "The profile, all sessions and the links to providers are gone for good. Documents " +
    "stay without an owner: a person who signs in again is a new user.",
  deleteNow: "Delete for good",
};

const form = {
  create: "New user",
  noMail: "No mail is sent to them.",
  endsSessions: "Another e-mail and another password end all sessions of this user.",
  createNow: "Create user",
  save: "Save user",
  back: "Back",
  declared: "Fields of this project",
  email: "E-mail",
  verified: "Verified",
  verifiedHint: "until it is another",
  password: "Password",
  passwordHint: (min: number) => `${min}+ characters`,
  passwordKeep: "set, leave empty to keep",
  noPassword: "none",
  name: "Name",
  username: "User name",
  usernameHint: "letters, digits, _.-",
  picture: "Picture",
  pictureHint: "an https address",
  roles: "Roles",
  rolesHint: "words",
  rolesSample: "editor reviewer",
  claims: "Claims",
  claimsHint: "an object, as JSON",
};

const fields = {
  tab: "Fields",
  title: "Fields of users",
  about:
    "What this project keeps of each user, besides e-mail, name, user name and picture. Users " +
    "set these fields when they sign up, and later in their profile. Everybody sees a public one; " +
    "all others are for the user and for you.",
  fields: "Fields",
  none: "Nothing is declared.",
  rules: "A required field is asked of users who sign up by e-mail from now on. Fields that are " +
    "removed keep what is stored of them, unseen.",
  add: "Add field",
  save: "Save fields",
  done: { saved: "The fields are saved." },
};

export const users = {
  list,
  done: {
    created: "The user is created.",
    changed: "The user is saved.",
    disabled: "The user is disabled and signed out everywhere.",
    enabled: "The user may sign in again.",
    ended: "All sessions are ended.",
    "session-ended": "The session is ended.",
  },
  edit: "Edit",
  all: "All users",
  profile,
  sessions,
  testToken,
  access,
  form,
  fields,
};
