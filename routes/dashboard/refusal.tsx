import type { RequestState } from "@/lib/http/request.ts";
import { messageOf, type Reply } from "@/lib/http/respond.ts";
import type { Problem } from "@/lib/problems.ts";
import { Bare, Plain, UNSENT } from "./components/shell.tsx";
import { isHtmxPartial, isNavigation, pathAbove, signInPath } from "./next.ts";
import { barePageReply, leaveFor, pageReply, partReply, seeOther } from "./replies.ts";
import { texts } from "./texts/mod.ts";

/**
 * A refusal as a page. Whoever is not signed in is sent to sign in, and comes back to what they
 * looked at; of what they sent nothing is lost. Whoever looks at what a form is sent to (the browser
 * stands there after a refusal) sees the page of the form.
 *
 * @param reply The same refusal as data: its status and headers hold here too.
 */
export function refusalPage(state: RequestState, problem: Problem, reply: Reply): Reply {
  if (problem.code === "SIGN_IN_REQUIRED") {
    return isNavigation(state) || isHtmxPartial(state.raw.headers)
      ? toSignIn(state)
      : unsent(state);
  }
  if (problem.code === "METHOD_NOT_ALLOWED" && isNavigation(state)) {
    return seeOther(pathAbove(state.path));
  }
  const page = pageReply(<RefusalPage problem={problem} bare={barePath(state, problem)} />, {
    status: reply.status,
  });
  return { ...page, headers: [...reply.headers ?? [], ...page.headers ?? []] };
}

/**
 * A refusal of an address outside of the dashboard that a browser navigates to, such as a file's or
 * that of social sign-in. Its readers are an application's users, who have no account here.
 *
 * @param reply The refusal as data, whose status and headers the page has too.
 */
export function visitRefusalPage(state: RequestState, problem: Problem, reply: Reply): Reply {
  const t = texts().refusal;
  const title = titleOf(problem);
  const page = barePageReply(
    <Bare title={title}>
      <h1>{title}</h1>
      <p role="alert">{messageOf(problem)}</p>
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

/** Of a page whose query is refused unread: what it is without. */
const barePath = (state: RequestState, { code }: Problem): string | null =>
  isNavigation(state) && state.query !== "" &&
    (code === "QUERY_TOO_LONG" || code === "INVALID_QUERY")
    ? encodeURI(state.path)
    : null;

/** A part of a page is no place for another page: its script is told to leave. */
function toSignIn(state: RequestState): Reply {
  const path = signInPath(state);
  return isHtmxPartial(state.raw.headers) ? leaveFor(path) : seeOther(path);
}

/**
 * With scripts a form stays as it is, and can be sent again; without them the browser has it, and
 * sends it again if it is asked to reload. Nothing of it is repeated: it may hold secrets, and
 * somebody else may sign in.
 */
function unsent(state: RequestState): Reply {
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
      <p role="alert">{messageOf(problem)}</p>
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
