import { openFolder } from "./sqlite_folder.ts";
import { recordsContract } from "./suite.ts";

recordsContract("sqlite", { open: () => openFolder() });
