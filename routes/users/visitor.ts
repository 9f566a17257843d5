import { deviceOf } from "@/lib/auth/device.ts";
import type { Visitor } from "@/lib/users/services.ts";
import type { OperationContext } from "../handler.ts";

export const visitor = ({ req, var: { state } }: OperationContext<unknown>): Visitor => ({
  device: deviceOf(req.header("user-agent") ?? null, state.client),
  network: state.network,
  language: req.header("accept-language") ?? null,
});
