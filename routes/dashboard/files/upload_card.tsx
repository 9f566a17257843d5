import type { Usage } from "@/lib/files/usage.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Id } from "@/lib/store/port.ts";
import { Refusal } from "../components/forms.tsx";
import { TUS } from "../assets.ts";
import { bytesText } from "@/lib/text/amounts.ts";

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
) => (
  <article class="card">
    <h2>Upload</h2>
    <Refusal problem={problem} />
    <file-drop api={`/api/projects/${projectId}/files`} tus={TUS.path}>
      <form method="post" action={path} enctype="multipart/form-data" hx-boost="false">
        <label>
          A file of up to {bytesText(usage.fileBytesMax)}
          <input type="file" name="file" required />
        </label>
        <button>Upload</button>
      </form>
    </file-drop>
  </article>
);

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "file-drop": { api: string; tus: string; children?: unknown };
    }
  }
}
