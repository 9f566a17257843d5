import type { View as SavedView } from "@/lib/documents/views.ts";
import { VIEW_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { ConfirmForm } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import type { GridContext } from "./context.ts";
import { gridPath, savedText, toView, type View, viewText } from "./view.ts";

/** Menu of saved views, which all members may open and admins may save and delete. */
export const ViewMenu = (
  { context: { path, canWrite }, view, views }: {
    context: GridContext;
    view: View;
    views: readonly SavedView[];
  },
) => {
  if (views.length === 0 && !canWrite) return null;
  const now = savedText(view);
  const { views: t } = texts().documents.tools;
  return (
    <details class="menu end" name="tools">
      <summary role="button" class="quiet">{t.menu}</summary>
      <div>
        {views.length > 0 && (
          <ul class="views">
            {views.map((saved) => {
              const shown = toView(path, saved);
              return (
                <li>
                  <a
                    href={gridPath(shown)}
                    aria-current={savedText(shown) === now ? "true" : undefined}
                  >
                    {saved.name}
                  </a>
                  {canWrite && <DeleteView path={path} view={view} name={saved.name} />}
                </li>
              );
            })}
          </ul>
        )}
        {canWrite && (
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
    <ConfirmForm
      label={shared.delete}
      loss={t.deleteLoss}
      action={`${path}/views`}
      button={t.deleteNow(name)}
    >
      <input type="hidden" name="view" value={viewText(view)} />
      <input type="hidden" name="name" value={name} />
      <input type="hidden" name="act" value="delete" />
    </ConfirmForm>
  );
};
