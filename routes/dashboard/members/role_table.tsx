import { includes, ROLES } from "@/lib/projects/members.ts";

/** What a role is for, by the least that may do it: the guards decide, this tells. */
const DEEDS = [
  ["See documents, users, files and settings", "viewer"],
  ["Change documents, users and files", "admin"],
  ["Change collections, sign-in and addresses, rotate keys, use AI", "admin"],
  ["Invite and remove members, change their roles", "admin"],
  ["Delete the project, offer it to another member", "owner"],
] as const;

export const RoleTable = () => (
  <article class="card">
    <h2>What each role may do</h2>
    <div class="scroll" tabindex={0} role="group" aria-label="What each role may do">
      <table class="who snug">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">What</span>
            </th>
            {ROLES.map((role) => <th scope="col">{role}</th>)}
          </tr>
        </thead>
        <tbody>
          {DEEDS.map(([deed, least]) => (
            <tr>
              <th scope="row">{deed}</th>
              {ROLES.map((role) =>
                includes(role, least) ? <td class="yes">yes</td> : <td class="no">no</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </article>
);
