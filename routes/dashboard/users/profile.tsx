import type { UserRecord } from "@/lib/auth/users.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import { shownFields } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { When } from "../components/when.tsx";

/** What a user is called: providers and users wrote it, in whatever way. */
export const calledBy = ({ email, name, username, _id }: UserRecord): string =>
  email ?? name ?? username ?? _id;

export const Disabled = ({ user }: { user: UserRecord }) =>
  user.disabled ? <span class="badge warn">disabled</span> : null;

/** Who has told nothing yet by which they could sign in again. */
export const Anonymous = ({ user }: { user: UserRecord }) =>
  user.isAnonymous ? <span class="badge">anonymous</span> : null;

/** Users of earlier versions have no providers. */
export const providersOf = ({ providers }: UserRecord): readonly string[] => [
  ...new Set((providers ?? []).map(({ provider }) => provider)),
];

const waysOf = (user: UserRecord): readonly string[] => [
  ...(user.passwordHash === null ? [] : ["password"]),
  ...providersOf(user),
];

/** A password and providers. @param otherwise What stands there where a user has neither. */
export const WaysToSignIn = ({ user, otherwise }: { user: UserRecord; otherwise: string }) => {
  const ways = waysOf(user);
  return ways.length === 0
    ? <>{otherwise}</>
    : <>{ways.map((way) => <span class="badge">{way}</span>)}</>;
};

export const Roles = ({ user }: { user: UserRecord }) => (
  <>{(user.roles ?? []).map((role) => <span class="badge">{role}</span>)}</>
);

/**
 * Who a user is.
 * @param home Given where it is not the user's own page: it leads there.
 * @param declared Fields of the project's users, where they are shown too.
 */
export const Profile = (
  { user, home, declared = [] }: {
    user: UserRecord;
    home?: string;
    declared?: readonly UserField[];
  },
) => (
  <article class="card">
    <h2>
      {home === undefined ? "Profile" : <a href={`${home}/users/${user._id}`}>{calledBy(user)}</a>}
      {" "}
      <Anonymous user={user} /> <Disabled user={user} />
    </h2>
    <dl class="facts">
      <dt>ID</dt>
      <dd class="mono">{user._id}</dd>
      <dt>E-mail</dt>
      <dd>
        {user.email ?? "none"}{" "}
        {user.email !== null && (
          <span class={user.emailVerified ? "badge on" : "badge"}>
            {user.emailVerified ? "verified" : "not verified"}
          </span>
        )}
      </dd>
      <dt>Name</dt>
      <dd>{user.name ?? "none"}</dd>
      <dt>User name</dt>
      <dd>{user.username ?? "none"}</dd>
      <dt>Picture</dt>
      <dd class={user.avatarUrl === null ? "" : "mono"}>{user.avatarUrl ?? "none"}</dd>
      <dt>Signs in by</dt>
      <dd>
        <WaysToSignIn user={user} otherwise={otherWay(user)} />
      </dd>
      <dt>Roles</dt>
      <dd>{(user.roles ?? []).length === 0 ? "none" : <Roles user={user} />}</dd>
      {Object.keys(user.claims ?? {}).length > 0 && (
        <>
          <dt>Claims</dt>
          <dd class="mono">{jsonText(user.claims ?? {})}</dd>
        </>
      )}
      {Object.entries(shownFields(declared, user.fields)).map(([key, value]) => (
        <>
          <dt>{key}</dt>
          <dd>{value === null ? "none" : typeof value === "string" ? value : jsonText(value)}</dd>
        </>
      ))}
      <dt>Last sign-in</dt>
      <dd>{user.lastSignInAt ? <When at={user.lastSignInAt} /> : "never"}</dd>
      <dt>Since</dt>
      <dd>
        <When at={user.createdAt} />
      </dd>
    </dl>
  </article>
);

const otherWay = ({ isAnonymous, email }: UserRecord): string =>
  isAnonymous
    ? "nothing: their session is all they have"
    : email === null
    ? "nothing"
    : "a code, if codes are on";
