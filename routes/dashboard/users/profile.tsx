import type { UserRecord } from "@/lib/auth/users.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import { declaredValues } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

/** Returns the first known name of a user, which is untrusted text. */
export const userName = ({ email, name, username, _id }: UserRecord): string =>
  email ?? name ?? username ?? _id;

export const DisabledBadge = ({ user }: { user: UserRecord }) =>
  user.disabled ? <span class="badge warn">{texts().users.profile.disabled}</span> : null;

/** Badge of a user without a way to sign in again. */
export const AnonymousBadge = ({ user }: { user: UserRecord }) =>
  user.isAnonymous ? <span class="badge">{texts().users.profile.anonymous}</span> : null;

/** Returns the providers of a user. Users of earlier versions do not have any. */
export const providersOf = ({ providers }: UserRecord): readonly string[] => [
  ...new Set((providers ?? []).map(({ provider }) => provider)),
];

const signInMethods = (user: UserRecord): readonly string[] => [
  ...(user.passwordHash === null ? [] : [texts().users.profile.ways.password]),
  ...providersOf(user),
];

/** Badges for a password and providers. @param fallback Text for a user without either. */
export const SignInMethods = ({ user, fallback }: { user: UserRecord; fallback: string }) => {
  const ways = signInMethods(user);
  return ways.length === 0
    ? <>{fallback}</>
    : <>{ways.map((way) => <span class="badge">{way}</span>)}</>;
};

export const RoleBadges = ({ user }: { user: UserRecord }) => (
  <>{(user.roles ?? []).map((role) => <span class="badge">{role}</span>)}</>
);

/** Card of a user. @param home For a link to the user's page. @param declared Fields to show. */
export const Profile = (
  { user, home, declared = [] }: {
    user: UserRecord;
    home?: string;
    declared?: readonly UserField[];
  },
) => {
  const t = texts().users.profile;
  return (
    <article class="card">
      <h2>
        {home === undefined ? t.title : <a href={`${home}/users/${user._id}`}>{userName(user)}</a>}
        {" "}
        <AnonymousBadge user={user} /> <DisabledBadge user={user} />
      </h2>
      <dl class="facts">
        <dt>{t.id}</dt>
        <dd class="mono">{user._id}</dd>
        <dt>{t.email}</dt>
        <dd>
          {user.email ?? t.none}{" "}
          {user.email !== null && (
            <span class={user.emailVerified ? "badge on" : "badge"}>
              {user.emailVerified ? t.verified : t.notVerified}
            </span>
          )}
        </dd>
        <dt>{t.name}</dt>
        <dd>{user.name ?? t.none}</dd>
        <dt>{t.username}</dt>
        <dd>{user.username ?? t.none}</dd>
        <dt>{t.picture}</dt>
        <dd class={user.avatarUrl === null ? "" : "mono"}>{user.avatarUrl ?? t.none}</dd>
        <dt>{t.signsInBy}</dt>
        <dd>
          <SignInMethods user={user} fallback={otherMethod(user)} />
        </dd>
        <dt>{t.roles}</dt>
        <dd>{(user.roles ?? []).length === 0 ? t.noRoles : <RoleBadges user={user} />}</dd>
        {Object.keys(user.claims ?? {}).length > 0 && (
          <>
            <dt>{t.claims}</dt>
            <dd class="mono">{jsonText(user.claims ?? {})}</dd>
          </>
        )}
        {Object.entries(declaredValues(declared, user.fields)).map(([key, value]) => (
          <>
            <dt>{key}</dt>
            <dd>{value === null ? t.none : typeof value === "string" ? value : jsonText(value)}</dd>
          </>
        ))}
        <dt>{t.lastSignIn}</dt>
        <dd>{user.lastSignInAt ? <When at={user.lastSignInAt} /> : t.never}</dd>
        <dt>{t.since}</dt>
        <dd>
          <When at={user.createdAt} />
        </dd>
      </dl>
    </article>
  );
};

function otherMethod({ isAnonymous, email }: UserRecord): string {
  const { ways } = texts().users.profile;
  if (isAnonymous) return ways.session;
  return email === null ? ways.none : ways.code;
}
