import type { RequestState } from "@/lib/http/request.ts";
import { publicMessage, type Reply } from "@/lib/http/respond.ts";
import type { Problem } from "@/lib/problems.ts";
import { Bare, Plain, UNSENT } from "./components/shell.tsx";
import { isHtmxPartial, isNavigation, pathAbove, signInPath } from "./next.ts";
import { barePageReply, pageReply, partReply, redirectScript, seeOther } from "./replies.ts";
import { texts } from "./texts/mod.ts";

/**
 * Returns the page of a problem. Signed-out visitors sign in first; a form they sent is kept. A GET
 * of a form's address, where browsers are after a refused form, redirects to the form's page.
 * @param reply Reply for the problem, whose status and headers the page gets.
 */
export function refusalPage(state: RequestState, problem: Problem, reply: Reply): Reply {
  if (problem.code === "SIGN_IN_REQUIRED") {
    return isNavigation(state) || isHtmxPartial(state.raw.headers)
      ? redirectToSignIn(state)
      : unsentReply(state);
  }
  if (problem.code === "METHOD_NOT_ALLOWED" && isNavigation(state)) {
    return seeOther(pathAbove(state.path));
  }
  const page = pageReply(<RefusalPage problem={problem} bare={barePath(state, problem)} />, {
    status: reply.status,
  });
  return { ...page, headers: [...reply.headers ?? [], ...page.headers ?? []] };
}

/** Returns the page of a problem outside of the dashboard, whose visitors have no account. */
export function visitRefusalPage(state: RequestState, problem: Problem, reply: Reply): Reply {
  const t = texts().refusal;
  const title = titleOf(problem);
  const page = barePageReply(
    <Bare title={title}>
      <h1>{title}</h1>
      <p role="alert">{publicMessage(problem)}</p>
      <p>
        <small>{t.reference(problem.code, state.id)}</small>
      </p>
    </Bare>,
    reply.status,
  );
  return { ...page, headers: [...reply.headers ?? [], ...page.headers ?? []] };
}

function titleOf({ code, status }: Problem): string {
  const t = texts().refusal;
  return t.titles[code] ?? (status >= 500 ? t.wrong : t.refused);
}

/** Returns the path without its query if the query caused the problem, else null. */
const barePath = (state: RequestState, { code }: Problem): string | null =>
  isNavigation(state) && state.query !== "" &&
    (code === "QUERY_TOO_LONG" || code === "INVALID_QUERY")
    ? encodeURI(state.path)
    : null;

/** Redirects to sign-in. For a part of a page, htmx opens the sign-in page. */
function redirectToSignIn(state: RequestState): Reply {
  const path = signInPath(state);
  return isHtmxPartial(state.raw.headers) ? redirectScript(path) : seeOther(path);
}

/** Replies to a signed-out visitor's form without its content, which may contain secrets. */
function unsentReply(state: RequestState): Reply {
  const signIn = signInPath(state);
  if (!state.raw.headers.has("hx-request")) {
    return pageReply(<UnsentPage signIn={signIn} />, { status: 401 });
  }
  const reply = partReply(<UnsentNote signIn={signIn} />);
  const here: Reply["headers"] = [
    ["hx-retarget", `#${UNSENT}`],
    ["hx-reswap", "innerHTML"],
    ["hx-push-url", "false"],
  ];
  return { ...reply, status: 401, headers: [...reply.headers ?? [], ...here] };
}

const UnsentNote = ({ signIn }: { signIn: string }) => (
  <p class="note bad">
    <span>{texts().refusal.unsaved((text) => <a href={signIn} target="_blank">{text}</a>)}</span>
  </p>
);

const UnsentPage = ({ signIn }: { signIn: string }) => {
  const t = texts().refusal;
  return (
    <Plain title={t.signedOut}>
      <h1>{t.signedOut}</h1>
      <p role="alert">{t.ended}</p>
      <p>{t.reload((text) => <a href={signIn} target="_blank">{text}</a>)}</p>
      <p>{t.here((text) => <a href={signIn}>{text}</a>)}</p>
    </Plain>
  );
};

const RefusalPage = ({ problem, bare }: { problem: Problem; bare: string | null }) => {
  const t = texts().refusal;
  const title = titleOf(problem);
  return (
    <Plain title={title}>
      <h1>{title}</h1>
      <p role="alert">{publicMessage(problem)}</p>
      {bare !== null && (
        <p>
          <a href={bare}>{t.bare}</a>
        </p>
      )}
      <p>
        <a href="/dashboard">{t.toProjects}</a>
      </p>
    </Plain>
  );
};
