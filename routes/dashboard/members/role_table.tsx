import { roleIncludes, ROLES } from "@/lib/projects/members.ts";
import { texts } from "../texts/mod.ts";

/** Rights with the lowest role that has them. The table only documents what guards enforce. */
const RIGHTS = [
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
            {RIGHTS.map(([deed, least]) => (
              <tr>
                <th scope="row">{t.deeds[deed]}</th>
                {ROLES.map((role) =>
                  roleIncludes(role, least)
                    ? <td class="yes">{t.yes}</td>
                    : <td class="no">{t.no}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </article>
  );
};
