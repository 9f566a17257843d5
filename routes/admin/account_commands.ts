import { listAccounts, resetPassword, setPlan } from "@/lib/accounts/manage_accounts.ts";
import { toAccountDetails } from "@/lib/accounts/own_account.ts";
import { createAccount } from "@/lib/accounts/register_account.ts";
import { Problem } from "@/lib/problems.ts";
import type { PlanName } from "@/lib/projects/account_records.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import type { Services } from "@/lib/services.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { pageRequest } from "./inputs.ts";
import { secretLine } from "./secret_line.ts";

const PLAN_NAMES = Object.keys(PLANS).join("|");

export const ACCOUNT_COMMANDS: readonly (readonly [string, Command])[] = [
  ["account create", {
    summary: "Create an account of the dashboard, with a password from standard input",
    usage: `--email EMAIL [--plan ${PLAN_NAMES}]`,
    options: { values: ["email", "plan"] },
    canInitialize: () => true,
    async run(services, args) {
      const given = {
        email: args.required("email"),
        name: null,
        plan: planName(args.optional("plan") ?? "free"),
      };
      const password = await newPassword();
      const { _id } = await createAccount(services, { ...given, password });
      return { accountId: _id };
    },
  }],
  ["account list", {
    summary: "List the accounts of the dashboard, the newest first",
    usage: "[--limit N] [--cursor CURSOR]",
    options: { values: ["limit", "cursor"] },
    async run(services, args) {
      const { items, nextCursor } = await listAccounts(services, pageRequest(args));
      return { accounts: items.map(toAccountDetails), nextCursor };
    },
  }],
  ["account password", {
    summary: "Set the password of an account from standard input, and end its sessions",
    usage: "--email EMAIL",
    options: { values: ["email"] },
    async run(services, args) {
      const email = args.required("email");
      const password = await newPassword();
      return { accountId: await resetPassword(services, { email, password }) };
    },
  }],
  ["account plan", {
    summary: "Change the plan of an account",
    usage: `--email EMAIL --plan ${PLAN_NAMES}`,
    options: { values: ["email", "plan"] },
    run: setAccountPlan,
  }],
];

async function setAccountPlan(services: Services, args: Arguments) {
  const plan = planName(args.required("plan"));
  return { accountId: await setPlan(services, { email: args.required("email"), plan }), plan };
}

const newPassword = () => secretLine("New password: ");

const isPlanName = (text: string): text is PlanName => Object.hasOwn(PLANS, text);

function planName(text: string): PlanName {
  if (isPlanName(text)) return text;
  throw new Problem("INVALID_INPUT", { message: `--plan must be ${PLAN_NAMES}.` });
}
