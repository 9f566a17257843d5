import type { UserRecord } from "@/lib/auth/users.ts";
import { When } from "../components/when.tsx";

/** What a user is called: providers and users wrote it, in whatever way. */
export const calledBy = ({ email, name, username, _id }: UserRecord): string =>
  email ?? name ?? username ?? _id;

export const Disabled = ({ user }: { user: UserRecord }) =>
  user.disabled ? <span class="badge warn">disabled</span> : null;

/** Users of earlier versions have no providers. */
export const providersOf = ({ providers }: UserRecord): readonly string[] => [
  ...new Set((providers ?? []).map(({ provider }) => provider)),
];

export const ProviderBadges = ({ user }: { user: UserRecord }) => (
  <>{providersOf(user).map((provider) => <span class="badge">{provider}</span>)}</>
);

/**
 * Who a user is.
 * @param home Given where it is not the user's own page: it leads there.
 */
export const Profile = ({ user, home }: { user: UserRecord; home?: string }) => (
  <article class="card">
    <h2>
      {home === undefined ? "Profile" : <a href={`${home}/users/${user._id}`}>{calledBy(user)}</a>}
      {" "}
      <Disabled user={user} />
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
        {providersOf(user).length === 0 ? "no provider" : <ProviderBadges user={user} />}
      </dd>
      <dt>Last sign-in</dt>
      <dd>{user.lastSignInAt ? <When at={user.lastSignInAt} /> : "never"}</dd>
      <dt>Since</dt>
      <dd>
        <When at={user.createdAt} />
      </dd>
    </dl>
  </article>
);
