import { PASSWORD_LENGTH_MIN } from "../limits.ts";

/** How users may come by an account in a project, and sign in. */
export interface AuthSettings {
  /** Whether new users may come by themselves, in whichever way. */
  readonly signUp: "open" | "closed";
  /** Whether users may have passwords. */
  readonly password: boolean;
  /** Whether a code that is sent to their e-mail signs users in. */
  readonly emailCode: boolean;
  /** Whether anybody may become a user without telling anything. */
  readonly anonymous: boolean;
  /** Whether a password signs in only where the e-mail is verified. */
  readonly requireVerifiedEmail: boolean;
  /** Characters that a password must have at least. */
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

/** Some of them, as somebody sent them. */
export type GivenAuthSettings = {
  readonly [Name in keyof AuthSettings]?: AuthSettings[Name] | undefined;
};

/** The settings of a project, of which only what was set is stored. */
export const authSettingsOf = (
  { auth }: { readonly auth?: Partial<AuthSettings> },
): AuthSettings => ({ ...AUTH_DEFAULTS, ...auth });
