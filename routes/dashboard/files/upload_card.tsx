import type { StorageUsage } from "@/lib/files/usage.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Id } from "@/lib/store/port.ts";
import { Refusal } from "../components/forms.tsx";
import { TUS } from "../assets.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";

/** Upload form. With scripts it uploads folders, shows progress and continues lost uploads. */
export const UploadCard = (
  { path, projectId, usage, problem }: {
    path: string;
    projectId: Id;
    usage: StorageUsage;
    problem: Problem | null;
  },
) => {
  const t = texts().files.upload;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <Refusal problem={problem} />
      <file-drop api={`/api/projects/${projectId}/files`} tus={TUS.path} {...scriptTexts()}>
        <form method="post" action={path} enctype="multipart/form-data" hx-boost="false">
          <label>
            {t.file(bytesText(usage.fileBytesMax))}
            <input type="file" name="file" required />
          </label>
          <button>{t.submit}</button>
        </form>
      </file-drop>
    </article>
  );
};

function scriptTexts() {
  const { drop, folder, sent, unreachable, failed, lost } = texts().files.upload;
  return {
    "data-drop": drop,
    "data-folder": folder,
    "data-sent": sent("{done}", "{all}"),
    "data-unreachable": unreachable,
    "data-failed": failed,
    "data-lost": lost,
  };
}

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "file-drop": ReturnType<typeof scriptTexts> & {
        api: string;
        tus: string;
        children?: unknown;
      };
    }
  }
}
