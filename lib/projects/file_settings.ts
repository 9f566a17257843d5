import { USER_BYTES_DEFAULT, USER_FILE_BYTES_DEFAULT } from "../limits.ts";

/** Whether users of a project upload files by themselves, and which. */
export interface FileSettings {
  readonly userUploads: "off" | "signed-in";
  /** Bytes of one file. */
  readonly userFileBytesMax: number;
  /** Bytes of all files of one user, wherever they lie. */
  readonly userBytesMax: number;
  // As `image/png`, `image/*` or `*/*`.
  readonly userTypes: readonly string[];
}

export const FILE_DEFAULTS: FileSettings = {
  userUploads: "off",
  userFileBytesMax: USER_FILE_BYTES_DEFAULT,
  userBytesMax: USER_BYTES_DEFAULT,
  userTypes: ["image/*"],
};

/** Some of them, as somebody sent them. */
export type GivenFileSettings = {
  readonly [Name in keyof FileSettings]?: FileSettings[Name] | undefined;
};

/** The settings of a project, of which only what was set is stored. */
export const fileSettingsOf = (
  { files }: { readonly files?: Partial<FileSettings> },
): FileSettings => ({ ...FILE_DEFAULTS, ...files });

/** Whether users may upload files of a type, whatever its parameters. */
export function isUserType({ userTypes }: FileSettings, contentType: string): boolean {
  const [type = ""] = contentType.toLowerCase().split(";");
  const [kind] = type.split("/");
  const fitting = [type.trim(), `${kind}/*`, "*/*"];
  return userTypes.some((one) => fitting.includes(one.toLowerCase()));
}
