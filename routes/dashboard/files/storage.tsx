import { checkStorage, type StorageCheck } from "@/lib/files/check_storage.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import {
  clearStorage,
  findStorage,
  setStorage,
  type StorageSettings,
} from "@/lib/files/storage_settings.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { filesPathOf, FilesTabs } from "./files_tabs.tsx";
import { CheckCard, CheckResultCard } from "./storage_check.tsx";
import {
  bodyOf,
  ClearCard,
  type Entered,
  enteredOf,
  NOT_SET,
  shownAs,
  StorageFacts,
  StorageForm,
} from "./storage_form.tsx";

export const showStorage: PageHandler<ProjectMember> = async (c) => pageReply(await storagePage(c));

/** The address of a form, looked at again later. */
export const backToStorage: PageHandler<ProjectMember> = (c) =>
  seeOther(`${filesPathOf(c)}/storage`);

export const saveStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const { problem } = await attempt(() =>
    setStorage(
      services,
      principal.project._id,
      parseStorageInput(storageRules(services), bodyOf(form)),
    )
  );
  if (problem === null) return seeOther(`${filesPathOf(c)}/storage?done=saved`);
  const page = await storagePage(c, { save: { entered: enteredOf(form), problem } });
  return pageReply(page, { status: problem.status });
};

export const clearStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(() => clearStorage(services, principal.project._id));
  if (problem === null) return seeOther(`${filesPathOf(c)}/storage?done=cleared`);
  const page = await storagePage(c, { clear: problem });
  return pageReply(page, { status: problem.status });
};

export const checkStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const tried = await attempt(() => checkStorage(services, principal.project._id));
  if (tried.problem === null) return pageReply(await storagePage(c, { check: tried.value }));
  const page = await storagePage(c, { checkRefused: tried.problem });
  return pageReply(page, { status: tried.problem.status });
};

/** What came of a form, beside what it is about. */
interface Outcome {
  readonly save?: { readonly entered: Entered; readonly problem: Problem };
  readonly clear?: Problem;
  readonly check?: StorageCheck;
  readonly checkRefused?: Problem;
}

async function storagePage(c: PageContext<ProjectMember>, outcome: Outcome = {}) {
  const { services, principal, state: { query } } = c.var;
  const files = filesPathOf(c);
  const path = `${files}/storage`;
  const [frame, stored] = await Promise.all([
    loadFrame(services, principal),
    findStorage(services, principal.project._id),
  ]);
  const settings = stored?.value ?? null;
  const mayChange = includes(frame.role, "admin");
  const { title, storage: t } = texts().files;
  return (
    <ProjectShell frame={frame} title={t.title} current={files}>
      <Bar title={title}>
        <FilesTabs path={files} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {outcome.check !== undefined && <CheckResultCard check={outcome.check} />}
        <BucketCard {...{ path, settings, mayChange, save: outcome.save }} />
        {mayChange && (settings !== null || outcome.checkRefused !== undefined) && (
          <CheckCard path={path} problem={outcome.checkRefused ?? null} />
        )}
        {mayChange && settings !== null && (
          <ClearCard
            path={path}
            problem={outcome.clear ?? null}
          />
        )}
      </div>
    </ProjectShell>
  );
}

const BucketCard = ({ path, settings, mayChange, save }: {
  path: string;
  settings: StorageSettings | null;
  mayChange: boolean;
  save: Outcome["save"];
}) => {
  const { files: { storage: t }, shared: { on, off } } = texts();
  return (
    <article class="card">
      <h2>
        {t.ownBucket}{" "}
        <span class={settings === null ? "badge" : "badge on"}>{settings === null ? off : on}</span>
      </h2>
      <p>{settings === null ? t.aboutOff : t.aboutOn}</p>
      {mayChange
        ? (
          <>
            <Refusal problem={save?.problem ?? null} />
            <StorageForm
              path={path}
              entered={save?.entered ?? (settings === null ? NOT_SET : shownAs(settings))}
              hasKeys={settings !== null}
            />
          </>
        )
        : settings !== null && <StorageFacts settings={settings} />}
    </article>
  );
};
