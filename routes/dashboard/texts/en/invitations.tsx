export const invitations = {
  title: "Invitation",
  takeOver: (project: string) => `Take over ${project}`,
  join: (project: string) => `Join ${project}`,
  /** Texts by role. @param who Name of the inviting member. */
  about: {
    viewer: (who: string) =>
      `${who} invites you to this project. As a viewer you read everything in it.`,
    admin: (who: string) =>
      `${who} invites you to this project. As an admin you change everything in it, except who ` +
      "owns it.",
    owner: (who: string) =>
      `${who} offers you this project. It becomes yours: your plan rules it, and only you can ` +
      "delete it or give it away. The present owner stays as an admin.",
  },
  invitedAs: "Invited as",
  signedInAs: "Signed in as",
  validUntil: "Valid until",
  otherAccount: "To accept it with another account, sign out and open the link again.",
  accept: "Accept",
  decline: {
    label: "Decline",
    loss: "The link stops working. If you change your mind, ask for a new one.",
    submit: "Decline the invitation",
  },
};
