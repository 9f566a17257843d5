import type { RequestState } from "@/lib/http/request.ts";
import { messageOf, type Reply } from "@/lib/http/respond.ts";
import type { Problem, ProblemCode } from "@/lib/problems.ts";
import { Plain } from "./components/shell.tsx";
import { isLook, isPart, pathAbove, signInPath } from "./next.ts";
import { leaveFor, pageReply, seeOther } from "./replies.ts";

/** What a page that cannot be shown is called. */
const TITLES: Partial<Record<ProblemCode, string>> = {
  COLLECTION_NOT_FOUND: "Not found",
  PROJECT_NOT_FOUND: "Not found",
  ROUTE_NOT_FOUND: "Not found",
  ROLE_REQUIRED: "Not yours to change",
};

/**
 * A refusal as a page. Whoever is not signed in is sent to sign in, and comes back to what he
 * looked at. Whoever looks at what a form is sent to (the browser stands there after a refusal)
 * sees the page of the form.
 *
 * @param reply The same refusal as data: its status and headers hold here too.
 */
export function refusalPage(state: RequestState, problem: Problem, reply: Reply): Reply {
  if (problem.code === "SIGN_IN_REQUIRED") return toSignIn(state);
  if (problem.code === "METHOD_NOT_ALLOWED" && isLook(state)) {
    return seeOther(pathAbove(state.path));
  }
  const page = pageReply(<RefusalPage problem={problem} />, {
    status: reply.status,
  });
  return { ...page, headers: [...reply.headers ?? [], ...page.headers ?? []] };
}

/** A part of a page is no place for another page: its script is told to leave. */
function toSignIn(state: RequestState): Reply {
  const path = signInPath(state);
  return isPart(state.raw.headers) ? leaveFor(path) : seeOther(path);
}

const RefusalPage = ({ problem }: { problem: Problem }) => {
  const title = TITLES[problem.code] ?? (problem.status >= 500 ? "That went wrong" : "Refused");
  return (
    <Plain title={title}>
      <h1>{title}</h1>
      <p role="alert">{messageOf(problem)}</p>
      <p>
        <a href="/dashboard">Go to your projects</a>
      </p>
    </Plain>
  );
};
