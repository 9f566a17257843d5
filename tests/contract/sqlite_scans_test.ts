/** The same answers, wherever they are read: here everything is, in a thread of its own. */

import { pathCases } from "./comparison_paths.ts";
import { comparisonCases } from "./comparison.ts";
import { keysetCases } from "./keyset.ts";
import { listingCases } from "./listing.ts";
import { openFolder } from "./sqlite_folder.ts";
import { recordsContract } from "./suite.ts";

const themes = [comparisonCases, pathCases, listingCases, keysetCases];

recordsContract("sqlite, in another thread", { open: () => openFolder({ rowsMax: 0 }), themes });

recordsContract("sqlite, handed over", { open: () => openFolder({ rowsMax: 3 }), themes });
