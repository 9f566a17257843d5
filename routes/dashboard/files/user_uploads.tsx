import { parseInput } from "@/openapi/inputs.ts";
import { ProjectChanges } from "@/openapi/schemas/project.ts";
import { USER_FILES_MAX } from "@/lib/limits.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { type FileSettings, fileSettingsOf } from "@/lib/projects/file_settings.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Choice, Field, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { filesPath, FilesTabs } from "./files_tabs.tsx";

const MiB = 1_048_576;

/** Settings as a form sends them, with sizes as texts in MiB. */
interface EnteredUploads {
  readonly userUploads: FileSettings["userUploads"];
  readonly fileMb: string;
  readonly allMb: string;
  readonly types: string;
}

const toEntered = (
  { userUploads, userFileBytesMax, userBytesMax, userTypes }: FileSettings,
): EnteredUploads => ({
  userUploads,
  fileMb: String(userFileBytesMax / MiB),
  allMb: String(userBytesMax / MiB),
  types: userTypes.join(", "),
});

const readEntered = (form: URLSearchParams): EnteredUploads => ({
  userUploads: form.get("userUploads") === "signed-in" ? "signed-in" : "off",
  fileMb: (form.get("fileMb") ?? "").trim(),
  allMb: (form.get("allMb") ?? "").trim(),
  types: (form.get("types") ?? "").trim(),
});

/** Returns the input of the operation. Invalid numbers stay texts, which validation refuses. */
const toFileSettings = ({ userUploads, fileMb, allMb, types }: EnteredUploads): object => ({
  userUploads,
  userFileBytesMax: parseMegabytes(fileMb),
  userBytesMax: parseMegabytes(allMb),
  userTypes: types.split(/[\s,]+/).filter((type) => type !== ""),
});

const parseMegabytes = (mb: string): number | string =>
  /^\d{1,9}(?:\.\d{1,9})?$/.test(mb) ? Math.round(Number(mb) * MiB) : mb;

export const showUserUploads: PageHandler<ProjectMember> = async (c) =>
  pageReply(await uploadsPage(c));

export const saveUserUploads: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const entered = readEntered(await c.var.body.form());
  const { problem } = await attempt(() => {
    const changes = parseInput(ProjectChanges, { files: toFileSettings(entered) });
    return changeProject(services, principal.project._id, changes);
  });
  if (problem === null) return seeOther(`${filesPath(c)}/uploads?done=saved`);
  return pageReply(await uploadsPage(c, { entered, problem }), { status: problem.status });
};

async function uploadsPage(
  c: PageContext<ProjectMember>,
  refused: { readonly entered: EnteredUploads; readonly problem: Problem } | null = null,
) {
  const { services, principal, state: { query } } = c.var;
  const frame = await loadFrame(services, principal);
  const files = filesPath(c);
  const path = `${files}/uploads`;
  const settings = fileSettingsOf(principal.project);
  const { title, userUploads: t } = texts().files;
  return (
    <ProjectShell frame={frame} title={t.title} current={files}>
      <Bar title={title}>
        <FilesTabs path={files} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={{ saved: t.saved }} />
        <article class="card">
          <h2>{t.title}</h2>
          <p>{t.about}</p>
          {roleIncludes(frame.role, "admin")
            ? (
              <UploadsForm
                path={path}
                entered={refused?.entered ?? toEntered(settings)}
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
  { path, entered, problem }: { path: string; entered: EnteredUploads; problem: Problem | null },
) => {
  const t = texts().files.userUploads;
  return (
    <form method="post" action={path}>
      <Refusal problem={problem} />
      <UploaderChoice userUploads={entered.userUploads} />
      <Field
        label={t.fileMb}
        name="fileMb"
        value={entered.fileMb}
        inputmode="decimal"
        required
      />
      <Field
        label={t.allMb}
        name="allMb"
        value={entered.allMb}
        inputmode="decimal"
        hint={t.allHint(USER_FILES_MAX)}
        required
      />
      <Field
        label={t.types}
        name="types"
        value={entered.types}
        hint={t.typesHint}
        autocomplete="off"
        required
      />
      <button>{t.save}</button>
    </form>
  );
};

const UploaderChoice = ({ userUploads }: Pick<EnteredUploads, "userUploads">) => {
  const t = texts().files.userUploads;
  return (
    <fieldset class="switches">
      <legend>{t.who}</legend>
      <Choice name="userUploads" value="off" isOn={userUploads === "off"} label={t.servers}>
        {t.serversHint}
      </Choice>
      <Choice
        name="userUploads"
        value="signed-in"
        isOn={userUploads === "signed-in"}
        label={t.signedIn}
      >
        {t.signedInHint}
      </Choice>
    </fieldset>
  );
};

const Facts = ({ settings }: { settings: FileSettings }) => {
  const t = texts().files.userUploads;
  return (
    <dl class="facts">
      <dt>{t.who}</dt>
      <dd>{settings.userUploads === "off" ? t.serversAndMembers : t.signedIn}</dd>
      <dt>{t.file}</dt>
      <dd>{bytesText(settings.userFileBytesMax)}</dd>
      <dt>{t.all}</dt>
      <dd>{bytesText(settings.userBytesMax)}</dd>
      <dt>{t.types}</dt>
      <dd class="mono">{settings.userTypes.join(", ")}</dd>
    </dl>
  );
};
