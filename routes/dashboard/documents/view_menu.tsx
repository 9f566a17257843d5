import type { View as SavedView } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { Ask } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
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
  const { views: t } = texts().documents.tools;
  return (
    <details class="menu end" name="tools">
      <summary role="button" class="quiet">{t.menu}</summary>
      <div>
        {views.length > 0 && (
          <ul class="views">
            {views.map((saved) => {
              const shown = viewOfSaved(path, saved);
              return (
                <li>
                  <a
                    href={hrefOf(shown)}
                    aria-current={savedText(shown) === now ? "true" : undefined}
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
              {t.name}
              <input name="name" maxlength={VIEW_NAME_LENGTH_MAX} autocomplete="off" required />
            </label>
            <small>{t.replaces}</small>
            <button>{t.save}</button>
          </form>
        )}
      </div>
    </details>
  );
};

const DeleteView = ({ path, view, name }: { path: string; view: View; name: string }) => {
  const { documents: { tools: { views: t } }, shared } = texts();
  return (
    <Ask
      label={shared.delete}
      loss={t.deleteLoss}
      action={`${path}/views`}
      button={t.deleteNow(name)}
    >
      <input type="hidden" name="view" value={viewText(view)} />
      <input type="hidden" name="name" value={name} />
      <input type="hidden" name="act" value="delete" />
    </Ask>
  );
};
