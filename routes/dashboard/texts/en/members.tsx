import type { Child } from "hono/jsx";
import { counted } from "../amounts.ts";

export const members = {
  title: "Members",
  done: {
    role: "The role is changed.",
    removed: "The member is removed.",
    withdrawn: "The invitation is withdrawn: its link no longer works.",
  },
  list: {
    title: "Members of this project",
    alone: "Only you so far.",
    aloneAsAdmin: "Only you so far: invite others below.",
    paged: "members",
    you: "you",
    since: (when: Child) => <>since {when}</>,
    sinceInvited: (when: Child, email: string) => <>since {when}, invited as {email}</>,
  },
  role: {
    of: (email: string) => `Role of ${email}`,
    change: "Change role",
    changeOf: (email: string) => `Change role of ${email}`,
  },
  offer: {
    label: "Offer ownership",
    loss: (email: string) =>
      `When ${email} accepts, the project is theirs: that account's plan rules it, and only ` +
      "they can delete it or give it away. You stay as an admin, and cannot take it back. Until " +
      "then nothing changes, and you can withdraw the offer.",
    submit: (email: string) => `Offer the project to ${email}`,
  },
  leave: {
    label: "Leave",
    loss: "You see nothing of this project any more, until you are invited again.",
    submit: "Leave the project",
  },
  remove: {
    label: "Remove",
    loss: (email: string) =>
      `${email} sees nothing of this project any more. Keys they know stay good: rotate them on ` +
      "the overview.",
    submit: (email: string) => `Remove ${email}`,
  },
  open: {
    title: "Open invitations",
    valid: (since: Child, until: Child) => <>since {since}, until {until}</>,
    withdraw: "Withdraw",
    loss: "The link stops working. To invite them again, make a new one.",
    submit: (email: string) => `Withdraw the invitation of ${email}`,
  },
  invite: {
    title: "Invite",
    aboutMailed:
      "They get a mail with a link, which you get, too. They are a member when they accept it, " +
      "signed in.",
    aboutLink: "You get a link to hand over; no mail is sent. They are a member when they accept " +
      "it, signed in.",
    email: "E-mail",
    role: "Role",
    viewer: "viewer, reads everything",
    admin: "admin, changes everything, too",
    submit: "Invite",
  },
  link: {
    label: (email: string) => `Link for ${email}`,
    mailed:
      "A mail with it is on its way to this address. It is shown this once: copy it now if you " +
      "want to hand it over yourself, too.",
    notMailed: "No mail is sent. It is shown this once: copy it now, and hand it over yourself.",
    toOwner: "The project becomes theirs when they accept; until then nothing changes.",
    toMember: "Anyone who has it can become a member by accepting it, with any account.",
    once: (days: number) => `It works once, for ${counted(days, "day", "days")}.`,
  },
  roles: {
    title: "What each role may do",
    what: "What",
    yes: "yes",
    no: "no",
    deeds: {
      read: "See documents, users, files and settings",
      write: "Change documents, users and files",
      manage: "Change collections, sign-in and addresses, rotate keys, use AI",
      invite: "Invite and remove members, change their roles",
      own: "Delete the project, offer it to another member",
    },
  },
};
