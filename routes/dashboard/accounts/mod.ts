import { countedByAddress } from "@/openapi/security.ts";
import type { Mount } from "../../call.ts";
import { visitor } from "../guards.ts";
import { get, post } from "../pages.ts";
import { register, showRegister, showSignIn, signIn, signOut } from "./sign_in.tsx";

export function accountPages(mount: Mount): void {
  mount(get("/dashboard/sign-in", visitor), showSignIn);
  mount(post("/dashboard/sign-in", countedByAddress(visitor)), signIn);
  mount(get("/dashboard/register", visitor), showRegister);
  mount(post("/dashboard/register", countedByAddress(visitor)), register);
  mount(post("/dashboard/sign-out", visitor), signOut);
}
