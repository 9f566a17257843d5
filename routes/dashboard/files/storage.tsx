import { checkStorage, type StorageCheck } from "@/lib/files/check_storage.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
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
import { filesPath, FilesTabs } from "./files_tabs.tsx";
import { CheckCard, CheckResultCard } from "./storage_check.tsx";
import {
  ClearCard,
  type EnteredStorage,
  NO_STORAGE,
  readEntered,
  StorageFacts,
  StorageForm,
  toEntered,
  toStorageInput,
} from "./storage_form.tsx";

export const showStorage: PageHandler<ProjectMember> = async (c) => pageReply(await storagePage(c));

/** Redirects a GET of a form's address to the storage page. */
export const backToStorage: PageHandler<ProjectMember> = (c) => seeOther(`${filesPath(c)}/storage`);

export const saveStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const { problem } = await attempt(() =>
    setStorage(
      services,
      principal.project._id,
      parseStorageInput(storageRules(services), toStorageInput(form)),
    )
  );
  if (problem === null) return seeOther(`${filesPath(c)}/storage?done=saved`);
  const page = await storagePage(c, { save: { entered: readEntered(form), problem } });
  return pageReply(page, { status: problem.status });
};

export const clearStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(() => clearStorage(services, principal.project._id));
  if (problem === null) return seeOther(`${filesPath(c)}/storage?done=cleared`);
  const page = await storagePage(c, { clear: problem });
  return pageReply(page, { status: problem.status });
};

export const checkStorageByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const result = await attempt(() => checkStorage(services, principal.project._id));
  if (result.problem === null) return pageReply(await storagePage(c, { check: result.value }));
  const page = await storagePage(c, { checkRefused: result.problem });
  return pageReply(page, { status: result.problem.status });
};

interface StorageOutcome {
  readonly save?: { readonly entered: EnteredStorage; readonly problem: Problem };
  readonly clear?: Problem;
  readonly check?: StorageCheck;
  readonly checkRefused?: Problem;
}

async function storagePage(c: PageContext<ProjectMember>, outcome: StorageOutcome = {}) {
  const { services, principal, state: { query } } = c.var;
  const files = filesPath(c);
  const path = `${files}/storage`;
  const [frame, stored] = await Promise.all([
    loadFrame(services, principal),
    findStorage(services, principal.project._id),
  ]);
  const settings = stored?.value ?? null;
  const canChange = roleIncludes(frame.role, "admin");
  const { title, storage: t } = texts().files;
  return (
    <ProjectShell frame={frame} title={t.title} current={files}>
      <Bar title={title}>
        <FilesTabs path={files} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {outcome.check !== undefined && <CheckResultCard check={outcome.check} />}
        <BucketCard {...{ path, settings, canChange, save: outcome.save }} />
        {canChange && (settings !== null || outcome.checkRefused !== undefined) && (
          <CheckCard path={path} problem={outcome.checkRefused ?? null} />
        )}
        {canChange && settings !== null && (
          <ClearCard
            path={path}
            problem={outcome.clear ?? null}
          />
        )}
      </div>
    </ProjectShell>
  );
}

const BucketCard = ({ path, settings, canChange, save }: {
  path: string;
  settings: StorageSettings | null;
  canChange: boolean;
  save: StorageOutcome["save"];
}) => {
  const { files: { storage: t }, shared: { on, off } } = texts();
  return (
    <article class="card">
      <h2>
        {t.ownBucket}{" "}
        <span class={settings === null ? "badge" : "badge on"}>{settings === null ? off : on}</span>
      </h2>
      <p>{settings === null ? t.aboutOff : t.aboutOn}</p>
      {canChange
        ? (
          <>
            <Refusal problem={save?.problem ?? null} />
            <StorageForm
              path={path}
              entered={save?.entered ?? (settings === null ? NO_STORAGE : toEntered(settings))}
              hasKeys={settings !== null}
            />
          </>
        )
        : settings !== null && <StorageFacts settings={settings} />}
    </article>
  );
};
