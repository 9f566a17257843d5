/** Problems of projects, members and invitations, part of `PROBLEMS`. */
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
    message: "This is not the project's name: send its exact name to delete the project.",
    when: "The name that was sent to confirm a deletion is not the project's name.",
    remedy: "Send the project's exact name. This protects against deleting the wrong project.",
  },
  ROLE_REQUIRED: {
    status: 403,
    message: "Your role in this project does not allow this.",
    when: "The account is a member of the project, but with a lower role.",
    remedy: "Ask the owner or an admin of the project to do it, or to give you a higher " +
      "role.",
  },
  PLAN_LIMIT_REACHED: {
    status: 403,
    message: "The plan does not allow any more of these.",
    when: "A limit of the plan is reached; the message names both.",
    remedy: "Delete something that is no longer needed, or change to a larger plan.",
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    message: "Project not found or access denied",
    when: "The project does not exist, or the caller has no access to it.",
    remedy: "Check the project's id, and that the account is a member of the project or the key " +
      "belongs to it.",
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    message: "This account is not a member of the project.",
    when: "The account does not exist, or is not a member of the project.",
    remedy: "List the members, and use the id of one of them. An invited person becomes a member " +
      "by accepting the invitation.",
  },
  INVITATION_NOT_FOUND: {
    status: 404,
    message: "This invitation is not valid: it was used or withdrawn, it has expired, or it is " +
      "for another account. Ask for a new one.",
    when: "The invitation is unknown, accepted, declined, withdrawn or older than 7 days, its " +
      "inviter may no longer invite, its project was deleted, or it is for another account.",
    remedy: "Ask a member for a new invitation, and open it signed in with the e-mail " +
      "that it was sent to.",
  },
  MEMBER_EXISTS: {
    status: 409,
    message: "This account is a member of the project already.",
    when: "A member is invited, or accepts an invitation to their own project.",
    remedy: "No invitation is needed. Change the member's role if it should be different.",
  },
  INVITATION_LIMIT_REACHED: {
    status: 409,
    message: "The project has the maximum number of open invitations: withdraw one first.",
    when: "A member of a project with 50 open invitations creates another one.",
    remedy: "Withdraw invitations that are no longer needed, then invite again.",
  },
  OWNER_STAYS: {
    status: 409,
    message:
      "The owner cannot be changed or removed: another member must accept the project first.",
    when: "The owner's role is changed, or the owner is removed or leaves.",
    remedy: "Offer the project to another member. Once they have accepted, the former " +
      "owner can leave.",
  },
} as const;
