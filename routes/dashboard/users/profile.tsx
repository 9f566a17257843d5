import type { UserRecord } from "@/lib/auth/users.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import { shownFields } from "@/lib/auth/public_profile.ts";
import type { UserField } from "@/lib/users/user_fields.ts";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

/** What a user is called: providers and users wrote it, in whatever way. */
export const calledBy = ({ email, name, username, _id }: UserRecord): string =>
  email ?? name ?? username ?? _id;

export const Disabled = ({ user }: { user: UserRecord }) =>
  user.disabled ? <span class="badge warn">{texts().users.profile.disabled}</span> : null;

/** Who has told nothing yet by which they could sign in again. */
export const Anonymous = ({ user }: { user: UserRecord }) =>
  user.isAnonymous ? <span class="badge">{texts().users.profile.anonymous}</span> : null;

/** Users of earlier versions have no providers. */
export const providersOf = ({ providers }: UserRecord): readonly string[] => [
  ...new Set((providers ?? []).map(({ provider }) => provider)),
];

const waysOf = (user: UserRecord): readonly string[] => [
  ...(user.passwordHash === null ? [] : [texts().users.profile.ways.password]),
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
) => {
  const t = texts().users.profile;
  return (
    <article class="card">
      <h2>
        {home === undefined ? t.title : <a href={`${home}/users/${user._id}`}>{calledBy(user)}</a>}
        {" "}
        <Anonymous user={user} /> <Disabled user={user} />
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
          <WaysToSignIn user={user} otherwise={otherWay(user)} />
        </dd>
        <dt>{t.roles}</dt>
        <dd>{(user.roles ?? []).length === 0 ? t.noRoles : <Roles user={user} />}</dd>
        {Object.keys(user.claims ?? {}).length > 0 && (
          <>
            <dt>{t.claims}</dt>
            <dd class="mono">{jsonText(user.claims ?? {})}</dd>
          </>
        )}
        {Object.entries(shownFields(declared, user.fields)).map(([key, value]) => (
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

function otherWay({ isAnonymous, email }: UserRecord): string {
  const { ways } = texts().users.profile;
  if (isAnonymous) return ways.session;
  return email === null ? ways.none : ways.code;
}
