import type { Usage } from "@/lib/files/usage.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Id } from "@/lib/store/port.ts";
import { Refusal } from "../components/forms.tsx";
import { TUS } from "../assets.ts";
import { bytesText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";

/**
 * A file is sent by the form; with scripts, any number of them and whole folders, with bars that show
 * how far they are, and each goes on where it was when the connection is lost.
 */
export const UploadCard = (
  { path, projectId, usage, problem }: {
    path: string;
    projectId: Id;
    usage: Usage;
    problem: Problem | null;
  },
) => {
  const t = texts().files.upload;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <Refusal problem={problem} />
      <file-drop api={`/api/projects/${projectId}/files`} tus={TUS.path} {...scriptWords()}>
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

/** The words of the script, as the attributes that it reads. */
function scriptWords() {
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
      "file-drop": ReturnType<typeof scriptWords> & {
        api: string;
        tus: string;
        children?: unknown;
      };
    }
  }
}
