import type { View as SavedView } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { Ask } from "../components/forms.tsx";
import type { Room } from "./room.ts";
import { hrefOf, savedText, type View, viewOfSaved, viewText } from "./view.ts";

/** What members look at again and again: all may choose it, admins save and delete. */
export const ViewMenu = (
  { room: { path, mayWrite }, view, views }: {
    room: Room;
    view: View;
    views: readonly SavedView[];
  },
) => {
  if (views.length === 0 && !mayWrite) return null;
  const now = savedText(view);
  return (
    <details class="menu end" name="tools">
      <summary role="button" class="quiet">Views</summary>
      <div>
        {views.length > 0 && (
          <ul class="views">
            {views.map((saved) => {
              const shown = viewOfSaved(path, saved);
              return (
                <li>
                  <a
                    href={hrefOf(shown)}
                    {...(savedText(shown) === now && { "aria-current": "true" })}
                  >
                    {saved.name}
                  </a>
                  {mayWrite && <DeleteView path={path} view={view} name={saved.name} />}
                </li>
              );
            })}
          </ul>
        )}
        {mayWrite && (
          <form method="post" action={`${path}/views`}>
            <input type="hidden" name="view" value={viewText(view)} />
            <label>
              Save this view as
              <input name="name" maxlength={VIEW_NAME_LENGTH_MAX} autocomplete="off" required />
            </label>
            <small>A view of the same name is replaced.</small>
            <button>Save view</button>
          </form>
        )}
      </div>
    </details>
  );
};

const DeleteView = ({ path, view, name }: { path: string; view: View; name: string }) => (
  <Ask
    label="Delete"
    loss="The view is gone for all members. No document is."
    action={`${path}/views`}
    button={`Delete the view ${name}`}
  >
    <input type="hidden" name="view" value={viewText(view)} />
    <input type="hidden" name="name" value={name} />
    <input type="hidden" name="act" value="delete" />
  </Ask>
);
