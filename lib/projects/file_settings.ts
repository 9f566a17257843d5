import { USER_BYTES_DEFAULT, USER_FILE_BYTES_DEFAULT } from "../limits.ts";

export interface FileSettings {
  readonly userUploads: "off" | "signed-in";
  readonly userFileBytesMax: number;
  /** Limit of one user's files in all stores together. */
  readonly userBytesMax: number;
  /** Allowed content types, such as `image/png` or `image/*`, or a pattern that allows all. */
  readonly userTypes: readonly string[];
}

export const FILE_DEFAULTS: FileSettings = {
  userUploads: "off",
  userFileBytesMax: USER_FILE_BYTES_DEFAULT,
  userBytesMax: USER_BYTES_DEFAULT,
  userTypes: ["image/*"],
};

export type GivenFileSettings = {
  readonly [Name in keyof FileSettings]?: FileSettings[Name] | undefined;
};

/** Adds the defaults, because only changed settings are stored. */
export const fileSettingsOf = (
  { files }: { readonly files?: Partial<FileSettings> },
): FileSettings => ({ ...FILE_DEFAULTS, ...files });

/** Ignores parameters of the content type. */
export function isUserType({ userTypes }: FileSettings, contentType: string): boolean {
  const [type = ""] = contentType.toLowerCase().split(";");
  const [kind] = type.split("/");
  const fitting = [type.trim(), `${kind}/*`, "*/*"];
  return userTypes.some((one) => fitting.includes(one.toLowerCase()));
}
