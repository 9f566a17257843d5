import { z } from "@hono/zod-openapi";
import { IMPORT_BYTES_MAX, IMPORT_CELLS_MAX, IMPORT_ROWS_MAX } from "@/lib/limits.ts";
import { exceedsBytes } from "@/lib/store/json_text.ts";
import { bytesText, countText } from "@/lib/text/amounts.ts";
import { bodyOf } from "../inputs.ts";

const TEXT = `"text" must be the text of a file, of at most ${bytesText(IMPORT_BYTES_MAX)}.`;

export const IMPORT_INPUT_EXAMPLE = { text: "title,views\nHello,3\nGood evening,12\n" };

export const ImportInput = bodyOf({
  text: z.string(TEXT).refine((text) => text !== "" && !exceedsBytes(text, IMPORT_BYTES_MAX), TEXT)
    .openapi({
      minLength: 1,
      maxLength: IMPORT_BYTES_MAX,
      description: "A CSV with a header, separated by commas, semicolons or tabs; or JSON: a " +
        `list of documents, or one. Up to ${countText(IMPORT_ROWS_MAX)} rows and ` +
        `${countText(IMPORT_CELLS_MAX)} cells.`,
    }),
  dryRun: z.boolean('"dryRun" must be true or false.').default(false).openapi({
    description: "`true` only checks the rows and stores nothing.",
  }),
  skipInvalid: z.boolean('"skipInvalid" must be true or false.').default(false).openapi({
    description: "`true` stores valid rows even if others are invalid.",
  }),
}).openapi("ImportInput", { example: IMPORT_INPUT_EXAMPLE });

export const IMPORT_RESULT_EXAMPLE = {
  rows: 2,
  stored: 1,
  failed: [{
    row: 2,
    code: "DUPLICATE_VALUE",
    message: 'Another document has this value in the unique field "slug".',
  }],
  leftOut: [],
};

export const ImportResult = z.strictObject({
  rows: z.int().openapi({ description: "Number of rows in the file." }),
  stored: z.int().openapi({
    description: "Number of rows that are stored, or with `dryRun` would be.",
  }),
  failed: z.array(z.strictObject({
    row: z.int().openapi({ description: "Number of the row from 1, without the header." }),
    code: z.string().openapi({
      description: "The code with which creating the document alone is refused.",
    }),
    message: z.string().openapi({ description: "The reason why the row is not stored." }),
  })),
  leftOut: z.array(z.string()).openapi({
    description: "Members in the file that are ignored because the server sets them.",
  }),
}).openapi("ImportResult", { example: IMPORT_RESULT_EXAMPLE });
