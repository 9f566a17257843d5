import { PASSWORD_LENGTH_MIN } from "../limits.ts";

export interface AuthSettings {
  /** Applies to all methods. */
  readonly signUp: "open" | "closed";
  readonly password: boolean;
  readonly emailCode: boolean;
  readonly anonymous: boolean;
  readonly requireVerifiedEmail: boolean;
  /** Minimum number of characters of a password. */
  readonly passwordLengthMin: number;
}

export const AUTH_DEFAULTS: AuthSettings = {
  signUp: "open",
  password: true,
  emailCode: true,
  anonymous: false,
  requireVerifiedEmail: false,
  passwordLengthMin: PASSWORD_LENGTH_MIN,
};

export type GivenAuthSettings = {
  readonly [Name in keyof AuthSettings]?: AuthSettings[Name] | undefined;
};

/** Adds the defaults, because only changed settings are stored. */
export const authSettingsOf = (
  { auth }: { readonly auth?: Partial<AuthSettings> },
): AuthSettings => ({ ...AUTH_DEFAULTS, ...auth });
