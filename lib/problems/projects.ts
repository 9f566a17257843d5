/** What projects, their members and invitations refuse for; part of the one catalogue. */
export const PROJECT_PROBLEMS = {
  INVALID_PROJECT_ID: {
    status: 400,
    message: "Invalid project ID",
    when: "The project id is not a valid ObjectId.",
    remedy: "Copy the project's id from the dashboard, or list projects by `deno task " +
      "admin project list`.",
  },
  PROJECT_NAME_MISMATCH: {
    status: 400,
    message: "This is not the project's name: send it as it is to delete the project.",
    when: "The name that deleting asks for is not the project's own.",
    remedy: "Send the project's present name, letter for letter. It protects against " +
      "deleting the wrong project.",
  },
  ROLE_REQUIRED: {
    status: 403,
    message: "Your role in this project does not allow this.",
    when: "The account is a member of the project, but of a lower role.",
    remedy: "Ask the owner or an admin of the project to do it, or to give you a higher " +
      "role.",
  },
  PLAN_LIMIT_REACHED: {
    status: 403,
    message: "The plan does not allow any more of these.",
    when: "A limit of the plan is met; the message names both.",
    remedy: "Delete what is not needed any more, or change to a larger plan.",
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    message: "Project not found or access denied",
    when: "The project does not exist, or the caller has no part in it.",
    remedy: "Check the project's id, and that the account is a member of it or the key " +
      "its own.",
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    message: "This account is no member of the project.",
    when: "The account does not exist, or is no member of the project.",
    remedy: "List the members, and use the id of one of them. Who has not accepted the " +
      "invitation yet is no member.",
  },
  INVITATION_NOT_FOUND: {
    status: 404,
    message: "This invitation is not valid: it was used or withdrawn, it has expired, or it is " +
      "for somebody else. Ask for a new one.",
    when: "The invitation is unknown, accepted, declined, withdrawn or older than 7 days, its " +
      "inviter may invite no more, its project is gone, or it is for another account.",
    remedy: "Ask a member for a new invitation, and open it signed in with the e-mail " +
      "that it was sent to.",
  },
  MEMBER_EXISTS: {
    status: 409,
    message: "This account is a member of the project already.",
    when: "A member is invited, or accepts an invitation to their own project.",
    remedy: "Nothing is left to do: change the member's role if it should be another.",
  },
  INVITATION_LIMIT_REACHED: {
    status: 409,
    message: "The project has as many open invitations as it may: withdraw one first.",
    when: "A project with 50 open invitations makes another one.",
    remedy: "Withdraw invitations that nobody will accept, then invite again.",
  },
  OWNER_STAYS: {
    status: 409,
    message: "The owner stays: another member must accept the project first.",
    when: "The owner's role is changed, or the owner is removed or leaves.",
    remedy: "Offer the project to another member. Once they have accepted, the former " +
      "owner can leave.",
  },
} as const;
