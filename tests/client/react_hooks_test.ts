import { parseHTML } from "linkedom";
import { createElement } from "react";
import { useList, useUser } from "../../examples/react/corbel_hooks.ts";
import { nextTurn } from "@/lib/next_turn.ts";
import { until } from "../acceptance/until.ts";
import { type AnyClient, CREDENTIALS, openClients } from "./fixture.ts";

/** Renders a component that uses both hooks, and returns its texts. */
async function mount(corbel: AnyClient) {
  const window = parseHTML("<!doctype html><div id=root></div>");
  const { document } = window as unknown as { document: { getElementById(id: string): never } };
  Object.assign(globalThis, { window, document });
  const { createRoot } = await import("react-dom/client");
  const shown = { user: "", titles: "" };

  function Posts() {
    const { user, isKnown } = useUser(corbel);
    const list = useList(corbel, "posts", { where: { views: { gt: 0 } }, sort: "title" });
    shown.user = isKnown ? user?.email ?? "nobody" : "unknown";
    shown.titles = list.isLoading ? "loading" : list.items.map(({ title }) => title).join();
    return null;
  }

  const root = createRoot(document.getElementById("root"));
  root.render(createElement(Posts));
  return {
    shows: (user: string, titles: string) =>
      until(
        `${user} sees ${titles}`,
        () => shown.user === user && shown.titles === titles,
      ),
    async [Symbol.asyncDispose]() {
      root.unmount();
      await nextTurn(); // React's last task needs the window.
      for (const name of ["window", "document"]) Reflect.deleteProperty(globalThis, name);
    },
  };
}

Deno.test({
  name: "React hooks render a changing list and the signed-in user",
  // React keeps a channel open for its next tasks.
  sanitizeResources: false,
  async fn() {
    await using fixture = await openClients();
    const server = fixture.client(fixture.project.secretKey).from("posts");
    await server.create({ title: "b", views: 1 });
    const corbel = fixture.client();
    await using page = await mount(corbel);
    await page.shows("nobody", "b");
    const added = await server.create({ title: "a", views: 1 });
    await page.shows("nobody", "a,b");
    await corbel.auth.signUp(CREDENTIALS);
    await page.shows(CREDENTIALS.email, "a,b");
    await server.patch(added._id, { views: 0 });
    await page.shows(CREDENTIALS.email, "b");
    await corbel.auth.signOut();
    await page.shows("nobody", "b");
  },
});
