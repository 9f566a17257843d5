import { checkStorage, type StorageCheck } from "@/lib/files/check_storage.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { clearStorage, findStorage, setStorage } from "@/lib/files/storage_settings.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
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

/** What a form did, by the word in the address that it leads to. */
const DONE = {
  saved: "Saved. New files go to this bucket. Check it now, so that no upload fails there.",
  cleared: "New files go to Corbel's storage.",
};

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
  return (
    <ProjectShell frame={frame} title="Storage" current={files}>
      <Bar title="Files">
        <FilesTabs path={files} current={path} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        {outcome.check !== undefined && <CheckResultCard check={outcome.check} />}
        <article class="card">
          <h2>
            Own bucket{" "}
            <span class={settings === null ? "badge" : "badge on"}>
              {settings === null ? "off" : "on"}
            </span>
          </h2>
          <p>
            {settings === null
              ? "Files go to Corbel's storage. Connect an S3 bucket, and new files go there instead."
              : "New files go to this bucket. Endpoint and bucket cannot change while files are in it."}
          </p>
          {mayChange
            ? (
              <>
                <Refusal problem={outcome.save?.problem ?? null} />
                <StorageForm
                  path={path}
                  entered={outcome.save?.entered ??
                    (settings === null ? NOT_SET : shownAs(settings))}
                  hasKeys={settings !== null}
                />
              </>
            )
            : settings !== null && <StorageFacts settings={settings} />}
        </article>
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
