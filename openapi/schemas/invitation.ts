import { z } from "@hono/zod-openapi";
import { ENTERED_EMAIL_PATTERN } from "@/lib/emails.ts";
import { bodySaying } from "../inputs.ts";
import { givenRole, role } from "./project.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const TOKEN_EXAMPLE = "A".repeat(43);

export const MemberInvitation = bodySaying('Send "email" and "role", as text.', (error) => ({
  email: z.string({ error }).openapi({
    pattern: ENTERED_EMAIL_PATTERN,
    description: "Whom it is for. Whether the address has an account makes no difference.",
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
  email: z.string().openapi({ description: "As the inviter typed it, or the named member's." }),
  role: role.openapi({ description: "`owner` for the offer of the project itself." }),
  createdAt: time,
  expiresAt: time.openapi({ description: "Until then it can be accepted." }),
};

export const Invitation = z.strictObject(invitation).openapi("Invitation", {
  description: "An open invitation: it tells nothing of an account.",
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
  token: z.string().openapi({ description: "What the link ends with. Shown this once." }),
  url: z.string().openapi({
    description: "The link to hand over: whoever has it can accept. Shown this once.",
  }),
  mailed: z.boolean().openapi({
    description: "Whether a mail with the link is on its way to the address. Offers of a project " +
      "are not mailed.",
  }),
}).openapi("SentInvitation", { example: SENT_INVITATION_EXAMPLE });

export const InvitationList = pageOf(Invitation, "InvitationList", INVITATION_EXAMPLE);

export const RevokedInvitation = z.strictObject({ invitationId: id })
  .openapi("RevokedInvitation", { example: { invitationId: EXAMPLE_ID } });

export const InvitationToken = bodySaying('Send "token", as text.', (error) => ({
  token: z.string({ error }).openapi({ description: "What the link ends with." }),
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
  role: role.openapi({ description: "`owner` for the offer of the project itself." }),
  email: z.string().openapi({ description: "The address that the inviter meant." }),
  invitedBy: z.strictObject({ name: z.string().nullable(), email: z.string() }),
  expiresAt: time,
}).openapi("InvitationPreview", { example: PREVIEW_EXAMPLE });

export const DeclinedInvitation = z.strictObject({})
  .openapi("DeclinedInvitation", { example: {} });
