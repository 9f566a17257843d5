import { checkStorage, type StorageCheck } from "@/lib/files/check_storage.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { clearStorage, findStorage, setStorage } from "@/lib/files/storage_settings.ts";
import { parseStorageInput, storageRules } from "@/lib/files/storage_input.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Call, Handler } from "../../call.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { FilesTabs } from "./files_tabs.tsx";
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

const filesOf = ({ principal }: Call<ProjectMember>): string =>
  `${homeOf(principal.project._id)}/files`;

export const showStorage: Handler<ProjectMember> = async (call) =>
  pageReply(await storagePage(call));

/** The address of a form, looked at again later. */
export const backToStorage: Handler<ProjectMember> = (call) => seeOther(`${filesOf(call)}/storage`);

export const saveStorageByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal } = call;
  const form = await call.form();
  const { problem } = await attempt(() =>
    setStorage(
      services,
      principal.project._id,
      parseStorageInput(storageRules(services), bodyOf(form)),
    )
  );
  if (problem === null) return seeOther(`${filesOf(call)}/storage?done=saved`);
  const page = await storagePage(call, { save: { entered: enteredOf(form), problem } });
  return pageReply(page, { status: problem.status });
};

export const clearStorageByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal } = call;
  const { problem } = await attempt(() => clearStorage(services, principal.project._id));
  if (problem === null) return seeOther(`${filesOf(call)}/storage?done=cleared`);
  const page = await storagePage(call, { clear: problem });
  return pageReply(page, { status: problem.status });
};

export const checkStorageByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal } = call;
  const tried = await attempt(() => checkStorage(services, principal.project._id));
  if (tried.problem === null) return pageReply(await storagePage(call, { check: tried.value }));
  const page = await storagePage(call, { checkRefused: tried.problem });
  return pageReply(page, { status: tried.problem.status });
};

/** What came of a form, beside what it is about. */
interface Outcome {
  readonly save?: { readonly entered: Entered; readonly problem: Problem };
  readonly clear?: Problem;
  readonly check?: StorageCheck;
  readonly checkRefused?: Problem;
}

async function storagePage(call: Call<ProjectMember>, outcome: Outcome = {}) {
  const { services, principal, queryText: query } = call;
  const files = filesOf(call);
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
              ? "Files go to Corbel's storage. Bring an S3 bucket, and new files go there instead."
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
