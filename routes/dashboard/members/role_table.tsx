import { includes, ROLES } from "@/lib/projects/members.ts";
import { texts } from "../texts/mod.ts";

/** What a role is for, by the least that may do it: the guards decide, this tells. */
const DEEDS = [
  ["read", "viewer"],
  ["write", "admin"],
  ["manage", "admin"],
  ["invite", "admin"],
  ["own", "owner"],
] as const;

export const RoleTable = () => {
  const { members: { roles: t }, shared: { roles } } = texts();
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <div class="scroll" tabindex={0} role="group" aria-label={t.title}>
        <table class="who snug">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{t.what}</span>
              </th>
              {ROLES.map((role) => <th scope="col">{roles[role]}</th>)}
            </tr>
          </thead>
          <tbody>
            {DEEDS.map(([deed, least]) => (
              <tr>
                <th scope="row">{t.deeds[deed]}</th>
                {ROLES.map((role) =>
                  includes(role, least) ? <td class="yes">{t.yes}</td> : <td class="no">{t.no}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </article>
  );
};
