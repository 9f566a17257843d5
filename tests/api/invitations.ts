import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestAccount } from "../support/dashboard.ts";
import type { TestApp } from "../support/test_app.ts";
import { ALL } from "@/lib/store/filter.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { ok } from "./test_collection.ts";
import { putCall, type Team } from "./team.ts";

/** An invitation with its token, which only the inviter receives. */
export interface SentInvitation {
  readonly invitationId: string;
  readonly token: string;
  readonly url: string;
}

/** A string in the format of a token that was never issued. */
export const NO_TOKEN = "x".repeat(43);

export const inviteCall = (team: Pick<Team, "path">, email: string, role = "viewer"): Call => ({
  path: team.path("/members"),
  body: { email, role },
});

export const invite = async (team: Team, email: string, role = "viewer"): Promise<SentInvitation> =>
  ok(await team.owner.send(inviteCall(team, email, role)), 201);

export const offerCall = (team: Pick<Team, "path">, accountId: string): Call =>
  putCall(team.path("/owner"), { accountId });

export const offer = async (team: Team, { accountId }: TestAccount): Promise<SentInvitation> =>
  ok(await team.owner.send(offerCall(team, accountId)));

export const answerInvitation = (
  account: Pick<TestAccount, "send">,
  verb: "preview" | "accept" | "decline",
  token: string,
): Promise<Answer> => account.send({ path: `/api/invitations/${verb}`, body: { token } });

export const accept = (account: Pick<TestAccount, "send">, token: string): Promise<Answer> =>
  answerInvitation(account, "accept", token);

/** Returns all stored records of invitations as text. */
export const storedInvitations = async ({ services }: TestApp): Promise<string> =>
  (await services.engine.records("control", INVITATIONS)
    .list({ filter: ALL, sort: [], limit: 1000 })).items;
