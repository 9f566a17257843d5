import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestAccount } from "../support/dashboard.ts";
import type { TestApp } from "../support/test_app.ts";
import { ALL } from "@/lib/store/filter.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { ok } from "./test_collection.ts";
import { put, type Team } from "./team.ts";

/** An invitation as its inviter gets it, once. */
export interface Sent {
  readonly invitationId: string;
  readonly token: string;
  readonly url: string;
}

/** What looks like a token and is none. */
export const NO_TOKEN = "x".repeat(43);

export const inviting = (team: Pick<Team, "path">, email: string, role = "viewer"): Call => ({
  path: team.path("/members"),
  body: { email, role },
});

/** Invites an address as the owner does. */
export const invite = async (team: Team, email: string, role = "viewer"): Promise<Sent> =>
  ok(await team.owner.send(inviting(team, email, role)), 201);

export const offering = (team: Pick<Team, "path">, accountId: string): Call =>
  put(team.path("/owner"), { accountId });

/** Offers the project as its owner does. */
export const offer = async (team: Team, { accountId }: TestAccount): Promise<Sent> =>
  ok(await team.owner.send(offering(team, accountId)));

/** Answers an invitation, or looks at it. */
export const answer = (
  account: Pick<TestAccount, "send">,
  verb: "preview" | "accept" | "decline",
  token: string,
): Promise<Answer> => account.send({ path: `/api/invitations/${verb}`, body: { token } });

export const accept = (account: Pick<TestAccount, "send">, token: string): Promise<Answer> =>
  answer(account, "accept", token);

/** All that is stored of invitations. */
export const storedInvitations = async ({ services }: TestApp): Promise<string> =>
  (await services.engine.records("control", INVITATIONS)
    .list({ filter: ALL, sort: [], limit: 1000 })).items;
