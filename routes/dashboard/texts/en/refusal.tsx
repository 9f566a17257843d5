import type { Child } from "hono/jsx";
import type { ProblemCode } from "@/lib/problems.ts";

const titles: Readonly<Partial<Record<ProblemCode, string>>> = {
  COLLECTION_NOT_FOUND: "Not found",
  FILE_NOT_FOUND: "Not found",
  INVITATION_NOT_FOUND: "Invalid invitation",
  PROJECT_NOT_FOUND: "Not found",
  ROUTE_NOT_FOUND: "Not found",
  ROLE_REQUIRED: "Not yours to change",
};

type Link = (text: string) => Child;

export const refusal = {
  titles,
  wrong: "That went wrong",
  refused: "Refused",
  reference: (code: string, requestId: string) => `${code}, request ${requestId}`,
  bare: "Open the page without its query",
  toProjects: "Go to your projects",
  signedOut: "Signed out",
  ended: "Your session has ended, and what you sent is not saved.",
  unsaved: (signIn: Link) => (
    <>
      You are signed out, and this is not saved. {signIn("Sign in")}{" "}
      in another tab, then come back and send it again: all that you entered is still here.
    </>
  ),
  reload: (signIn: Link) => (
    <>
      To lose nothing of it, {signIn("sign in")}{" "}
      in another tab, then reload this page: your browser sends it again.
    </>
  ),
  here: (signIn: Link) => <>Or {signIn("sign in here")} and start again.</>,
};
