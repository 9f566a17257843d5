import { z } from "@hono/zod-openapi";
import { ENTERED_EMAIL_PATTERN } from "@/lib/emails.ts";
import { bodyWithMessage } from "../inputs.ts";
import { givenRole, role } from "./project.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const TOKEN_EXAMPLE = "A".repeat(43);

export const MemberInvitation = bodyWithMessage('Send "email" and "role", as text.', (error) => ({
  email: z.string({ error }).openapi({
    pattern: ENTERED_EMAIL_PATTERN,
    description: "Address of the invited person, who need not have an account.",
  }),
  role: givenRole(error),
})).openapi("MemberInvitation", { example: { email: "ada@example.com", role: "admin" } });

export const INVITATION_EXAMPLE = {
  invitationId: EXAMPLE_ID,
  email: "ada@example.com",
  role: "admin",
  createdAt: "2026-01-31T12:00:00.000Z",
  expiresAt: "2026-02-07T12:00:00.000Z",
};

const invitation = {
  invitationId: id,
  email: z.string().openapi({
    description: "The address that the inviter entered, or the named member's.",
  }),
  role: role.openapi({ description: "`owner` for an offer of ownership." }),
  createdAt: time,
  expiresAt: time.openapi({ description: "Time until which it can be accepted." }),
};

export const Invitation = z.strictObject(invitation).openapi("Invitation", {
  description: "An open invitation. It reveals nothing about an account.",
  example: INVITATION_EXAMPLE,
});

export const SENT_INVITATION_EXAMPLE = {
  ...INVITATION_EXAMPLE,
  token: TOKEN_EXAMPLE,
  url: `https://corbel.example.com/dashboard/invitations/${TOKEN_EXAMPLE}`,
  mailed: true,
};

export const SentInvitation = z.strictObject({
  ...invitation,
  token: z.string().openapi({ description: "The end of the link. Shown only once." }),
  url: z.string().openapi({
    description: "The invitation link: everyone who has it can accept. Shown only once.",
  }),
  mailed: z.boolean().openapi({
    description: "Whether a mail with the link is being sent. Offers of ownership are not mailed.",
  }),
}).openapi("SentInvitation", { example: SENT_INVITATION_EXAMPLE });

export const InvitationList = pageOf(Invitation, "InvitationList", INVITATION_EXAMPLE);

export const RevokedInvitation = z.strictObject({ invitationId: id })
  .openapi("RevokedInvitation", { example: { invitationId: EXAMPLE_ID } });

export const InvitationToken = bodyWithMessage('Send "token", as text.', (error) => ({
  token: z.string({ error }).openapi({ description: "The end of the link." }),
})).openapi("InvitationToken", { example: { token: TOKEN_EXAMPLE } });

export const PREVIEW_EXAMPLE = {
  projectName: "Blog",
  role: "admin",
  email: "ada@example.com",
  invitedBy: { name: "Charles", email: "charles@example.com" },
  expiresAt: "2026-02-07T12:00:00.000Z",
};

export const InvitationPreview = z.strictObject({
  projectName: z.string(),
  role: role.openapi({ description: "`owner` for an offer of ownership." }),
  email: z.string().openapi({ description: "The address that the inviter entered." }),
  invitedBy: z.strictObject({ name: z.string().nullable(), email: z.string() }),
  expiresAt: time,
}).openapi("InvitationPreview", { example: PREVIEW_EXAMPLE });

export const DeclinedInvitation = z.strictObject({})
  .openapi("DeclinedInvitation", { example: {} });
