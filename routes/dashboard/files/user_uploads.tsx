import { parseInput } from "@/openapi/inputs.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { USER_FILES_MAX } from "@/lib/limits.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { type FileSettings, fileSettingsOf } from "@/lib/projects/file_settings.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import { bytesText } from "@/lib/text/amounts.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Choice, Field, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { filesPathOf, FilesTabs } from "./files_tabs.tsx";

const DONE = { saved: "Saved. It holds within five seconds." };

const MiB = 1_048_576;

/** The settings as a form sends them: sizes are texts, in MB. */
interface Entered {
  readonly userUploads: FileSettings["userUploads"];
  readonly fileMb: string;
  readonly allMb: string;
  readonly types: string;
}

const shownAs = (
  { userUploads, userFileBytesMax, userBytesMax, userTypes }: FileSettings,
): Entered => ({
  userUploads,
  fileMb: String(userFileBytesMax / MiB),
  allMb: String(userBytesMax / MiB),
  types: userTypes.join(", "),
});

const typed = (form: URLSearchParams): Entered => ({
  userUploads: form.get("userUploads") === "signed-in" ? "signed-in" : "off",
  fileMb: (form.get("fileMb") ?? "").trim(),
  allMb: (form.get("allMb") ?? "").trim(),
  types: (form.get("types") ?? "").trim(),
});

/** As the contract of the operation takes them. What is no number stays a text, to be refused. */
const inputOf = ({ userUploads, fileMb, allMb, types }: Entered): object => ({
  userUploads,
  userFileBytesMax: bytesIn(fileMb),
  userBytesMax: bytesIn(allMb),
  userTypes: types.split(/[\s,]+/).filter((type) => type !== ""),
});

const bytesIn = (mb: string): number | string =>
  /^\d{1,9}(?:\.\d{1,9})?$/.test(mb) ? Math.round(Number(mb) * MiB) : mb;

export const showUserUploads: PageHandler<ProjectMember> = async (c) =>
  pageReply(await uploadsPage(c));

export const saveUserUploads: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const entered = typed(await c.var.body.form());
  const { problem } = await attempt(() => {
    const changes = parseInput(ProjectChanges, { files: inputOf(entered) });
    return changeProject(services, principal.project._id, changes);
  });
  if (problem === null) return seeOther(`${filesPathOf(c)}/uploads?done=saved`);
  return pageReply(await uploadsPage(c, { entered, problem }), { status: problem.status });
};

async function uploadsPage(
  c: PageContext<ProjectMember>,
  refused: { readonly entered: Entered; readonly problem: Problem } | null = null,
) {
  const { services, principal, state: { query } } = c.var;
  const frame = await loadFrame(services, principal);
  const files = filesPathOf(c);
  const path = `${files}/uploads`;
  const settings = fileSettingsOf(principal.project);
  return (
    <ProjectShell frame={frame} title="Uploads by users" current={files}>
      <Bar title="Files">
        <FilesTabs path={files} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        <article class="card">
          <h2>Uploads by users</h2>
          <p>
            Users of your application upload files with the publishable key and their access token:
            no server of yours is needed. Each sees and deletes their own files only; whoever knows
            the address of a file reads it, unless it is private.
          </p>
          {includes(frame.role, "admin")
            ? (
              <UploadsForm
                path={path}
                entered={refused?.entered ?? shownAs(settings)}
                problem={refused?.problem ?? null}
              />
            )
            : <Facts settings={settings} />}
        </article>
      </div>
    </ProjectShell>
  );
}

const UploadsForm = (
  { path, entered, problem }: { path: string; entered: Entered; problem: Problem | null },
) => (
  <form method="post" action={path}>
    <Refusal problem={problem} />
    <fieldset class="switches">
      <legend>Who uploads</legend>
      <Choice name="userUploads" value="off" isOn={entered.userUploads === "off"} label="Servers">
        Only your server, with the secret key, and members in this dashboard.
      </Choice>
      <Choice
        name="userUploads"
        value="signed-in"
        isOn={entered.userUploads === "signed-in"}
        label="Signed-in users, too"
      >
        Whoever is signed in, an anonymous user as well.
      </Choice>
    </fieldset>
    <Field
      label="Largest file of a user, in MB"
      name="fileMb"
      value={entered.fileMb}
      inputmode="decimal"
      required
    />
    <Field
      label="Room for each user, in MB"
      name="allMb"
      value={entered.allMb}
      inputmode="decimal"
      hint={`All of a user's files together; ${USER_FILES_MAX} files at most. The plan's limits hold, too.`}
      required
    />
    <Field
      label="Types"
      name="types"
      value={entered.types}
      hint="One, as application/pdf, all of a kind, as image/*, or all, as */*, with commas between."
      autocomplete="off"
      required
    />
    <button>Save uploads</button>
  </form>
);

/** For who may only look. */
const Facts = ({ settings }: { settings: FileSettings }) => (
  <dl class="facts">
    <dt>Who uploads</dt>
    <dd>{settings.userUploads === "off" ? "Servers and members" : "Signed-in users, too"}</dd>
    <dt>Largest file of a user</dt>
    <dd>{bytesText(settings.userFileBytesMax)}</dd>
    <dt>Room for each user</dt>
    <dd>{bytesText(settings.userBytesMax)}</dd>
    <dt>Types</dt>
    <dd class="mono">{settings.userTypes.join(", ")}</dd>
  </dl>
);
