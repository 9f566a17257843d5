import type { Child } from "hono/jsx";
import type { ItemDefinition } from "@/lib/documents/fields.ts";
import type { Operator } from "@/lib/documents/operands.ts";
import { bytesText, counted, countText, exactBytesText } from "../amounts.ts";

type Mark = (text: string) => Child;

export type BulkAct = "edit" | "delete" | "remove" | "recover";

export interface Chosen {
  /** Number of documents, or null if only an estimate is known. */
  readonly size: number | null;
  /** Whether they are all that match, and not some that were selected. */
  readonly isAll: boolean;
}

type Asked = Readonly<Partial<Record<Operator, string>>>;

type FieldType = ItemDefinition["type"];

const types: Readonly<Record<FieldType, string>> = {
  String: "text",
  Number: "number",
  Boolean: "yes or no",
  Date: "date",
  Object: "object",
  Array: "list",
  Ref: "id",
};

/** Names of types in forms, with the format to enter. */
const entered: Readonly<Record<FieldType, string>> = {
  ...types,
  Date: "date, UTC",
  Object: "object, as JSON",
  Array: "list, as JSON",
};

const kinds = {
  types,
  entered,
  owner: "owner",
  idIn: (collection: string) => `id in ${collection}`,
  oneOf: "one of these",
  file: "path of a file",
  files: "paths of files, as JSON",
  undeclared: "undeclared",
  undeclaredJson: "undeclared, as JSON",
  required: (kind: string) => `${kind}, required`,
};

const asked: Readonly<Record<Operator, string>> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  in: "is one of",
  nin: "is not one of",
  exists: "is set:",
  regex: "matches the pattern",
  contains: "contains",
  startsWith: "begins with",
};

const askedOfTexts: Asked = { gt: "comes after", lt: "comes before" };

const askedOfDates: Asked = {
  gte: "is at or after",
  lt: "is before",
  gt: "is after",
  lte: "is at or before",
};

const askedOfLists: Asked = { eq: "has", ne: "has not", in: "has one of", nin: "has none of" };

/** Texts of operators, shown between a field and a value. */
const filters = {
  asked,
  askedOfTexts,
  askedOfDates,
  askedOfLists,
  set: "is set",
  notSet: "is not set",
  menu: "+ Filter",
  field: "Which field?",
  value: "Value",
  time: "Time (UTC)",
  several: "For “one of”, several with commas between them.",
  add: "Add filter",
  change: "Change filter",
  changeOne: (filter: string) => `Change ${filter}`,
  removeOne: (filter: string) => `Remove ${filter}`,
  more: (count: number) => `and ${counted(count, "more filter", "more filters")}`,
};

const tools = {
  search: "Search",
  searchIn: (fields: string) => `Search ${fields}`,
  trash: "Trash",
  leaveTrash: "Leave the trash",
  columns: {
    menu: "Columns",
    legend: "Columns to show",
    show: "Show these",
    reset: "Reset",
    tooMany: (count: number, max: number) => `There are ${count} columns: choose at most ${max}.`,
  },
  views: {
    menu: "Views",
    name: "Save this view as",
    replaces: "A view of the same name is replaced.",
    save: "Save view",
    deleteLoss: "The view is gone for all members. No document is.",
    deleteNow: (name: string) => `Delete the view ${name}`,
  },
  ask: {
    label: "Say it in words",
    sample: "or say it in words: drafts from last week with more than 100 views",
    ask: "Ask",
    dropped: "Not all of it could be made a filter:",
  },
};

const grid = {
  label: "Documents",
  import: "Import",
  export: "Export",
  allMatching: "All matching documents",
  csvForExcel: "CSV for Excel",
  create: "New document",
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all",
  selected: (count: string) => `${count} selected`,
  recoverSelected: "Recover selected",
  removeSelected: "Remove selected for good",
  editSelected: "Edit selected",
  deleteSelected: "Delete selected",
  newer: "‹ Newer",
  older: "Older ›",
  previous: "‹ Previous",
  next: "Next ›",
  /** @param shown From which row to which, or how many. */
  place: (shown: string, total: number) => `${shown} of ${countText(total)}`,
  placeAbout: (shown: string, total: number) => `${shown} of about ${countText(total)}`,
  tooSlow: (fields: Mark) => <>Declare it in {fields("the fields")}, or take a filter away.</>,
  refused: (all: Mark) => <>Change or remove a filter above, or {all("show everything")}.</>,
  done: {
    created: "Created.",
    saved: "Saved.",
    changed: "Changed.",
    recovered: "Recovered.",
    removed: "Removed for good.",
    "view-saved": "The view is saved, for all members.",
    "view-deleted": "The view is deleted.",
    imported: "All rows are imported.",
  },
  deleted: (days: number) => `Deleted. The trash keeps it for ${days} days.`,
  changes: {
    one: "1 change: show it",
    several: (count: string) => `${count} changes: show them`,
    many: (count: string) => `More than ${count} changes: show them`,
    unknown: "There may be changes: show them",
  },
  panel: {
    label: "Document",
    close: "Close",
    page: "Open as a page",
    leave: "What you typed is not saved. Leave it?",
  },
  cell: {
    keys: (field: string) => `${field}: Enter saves, Escape leaves it`,
    unreachable: "The server cannot be reached. Press Enter to try again.",
    conflict: "This document has changed since. Nothing is saved: press Escape, then look again.",
    refused: "This is not saved.",
  },
  call: {
    label: "The API call of this view",
    ownOnly: "own rows only, unless with the secret key",
    curl: "Copy as curl",
    fetch: "Copy as fetch",
  },
};

const empty = {
  page: "There is nothing on this page.",
  firstPage: "Go to the first page",
  noMatch: "No document matches these filters.",
  clear: "Clear filters",
  trash: (days: number) =>
    `The trash is empty. What is deleted stays here until it is recovered, or for ${days} days.`,
  none: "There are no documents yet.",
  create: "Create the first one",
  import: "Import a file",
  send: (call: Child) => <>Or have an application send it: {call}</>,
  sent: (call: Child) => <>An application sends them: {call}</>,
};

const acted: Readonly<Record<BulkAct, string>> = {
  edit: "changed",
  delete: "deleted",
  remove: "removed",
  recover: "recovered",
};

function chosenText({ size, isAll }: Chosen): string {
  if (size === null) return "all matching documents";
  const documents = counted(size, "document", "documents");
  return isAll ? `all ${documents} that match` : documents;
}

const bulk = {
  edit: (chosen: Chosen) => `Edit ${chosenText(chosen)}`,
  change: (chosen: Chosen) => `Change ${chosenText(chosen)}`,
  delete: (chosen: Chosen) => `Delete ${chosenText(chosen)}`,
  deleteSure: (chosen: Chosen) => `Delete ${chosenText(chosen)}?`,
  deleteLoss: (days: number) =>
    `They go to the trash, from which they can be recovered for ${days} days.`,
  remove: (chosen: Chosen) => `Remove ${chosenText(chosen)} for good`,
  removeSure: (chosen: Chosen) => `Remove ${chosenText(chosen)} for good?`,
  removeLoss: "They cannot be recovered afterwards.",
  keep: "Keep",
  field: "Which field?",
  noFields: "Declare a field first, then it can be set here.",
  value: "What you enter takes the place of what they hold. Left empty, it becomes null.",
  unfinished: "Not finished yet",
  progress: (act: BulkAct, done: number, failed: number) =>
    counted(done, "document", "documents") + ` ${acted[act]}` +
    (failed > 0 ? `, ${countText(failed)} not` : "") + ". There are more.",
  continue: "Continue",
  stop: "Stop here",
  undone: (act: BulkAct, done: number, all: number) =>
    `${countText(done)} of ${counted(all, "document", "documents")} ${acted[act]}. Not these:`,
  moreUndone: (count: number) => `And ${countText(count)} more.`,
  noneSelected: "Select documents first.",
  tooMany: (max: number) => `Select at most ${max} documents at once, or all that match.`,
};

const editor = {
  create: "New document",
  ways: { label: "Ways to look at it", form: "Form" },
  done: { saved: "Saved.", created: "Created. You can add another." },
  inTrash: (days: number) => `It is in the trash, and can be recovered for ${days} days from then.`,
  back: "Back to the list",
  createNow: "Create document",
  createAnother: "Create and add another",
  saveAndStay: "Save and stay",
  noFields: "No fields are declared: write the document as JSON.",
  emptied: "A field that you empty becomes null.",
  whole: "The complete document, except for what the server sets",
  created: "Created",
  changed: "Changed",
  deleted: "Deleted",
  recover: "Recover",
  remove: "Remove for good",
  removeLoss: "It cannot be recovered afterwards.",
  removeNow: "Remove this document for good",
  duplicate: "Duplicate",
  deleteLoss: (days: number) =>
    `It goes to the trash, from which it can be recovered for ${days} days.`,
  deleteNow: "Delete this document",
  /** @param value What a field is where nothing is entered. */
  whereEmpty: (value: string) => `${value} where it is left empty`,
  find: {
    label: (field: string) => `Find by name for ${field}`,
    hint: "Find by name",
    find: "Find",
    findFor: (field: string) => `Find for ${field}`,
    none: (words: string) => `Nothing is found for “${words}”.`,
    found: (count: number, words: string) => `${countText(count)} to choose from, for “${words}”.`,
    lookUp: "Look it up",
  },
  /** Follows the name of a field. */
  notJson: "is not valid JSON",
  fault: (field: string, fault: string) => `The field "${field}" ${fault}.`,
  /** @param where With a space before it; empty where that is not known. */
  invalidJson: (where: string) => `This is not valid JSON${where}.`,
  /** Follows the name of a field. @param integer Literal of the integer. */
  inexactInteger: (integer: string) =>
    `has the integer ${integer}, which a Number cannot hold exactly: keep it in a String`,
  inexactJson: (fault: string) => `This ${fault}.`,
  notObject: "A document is one JSON object: { … }.",
};

const importing = {
  page: (collection: string) => `Import into ${collection}`,
  title: "Import documents",
  about: (most: { bytes: number; rows: number; columns: number }) =>
    "CSV whose first line names the fields, or a JSON list of documents; up to " +
    `${bytesText(most.bytes)}, ${countText(most.rows)} rows and ${countText(most.columns)} ` +
    "columns. You see what becomes of each row before anything is stored.",
  file: "File",
  text: "Or its text",
  preview: "Preview",
  back: "Back to the list",
  nothingYet: "Nothing is stored yet",
  read: (good: number, failed: number) =>
    `${rows(good + failed)} read: ${good === 0 ? "none" : countText(good)} can be imported` +
    (failed > 0 ? `, ${countText(failed)} cannot.` : "."),
  leftOut: (names: string) => `${names} are set by the server and left out.`,
  rows: "Rows",
  import: (count: number) => `Import ${rows(count)}`,
  another: "Choose another file",
  outcome: (stored: number, failed: number) => `${rows(stored)} imported, ${countText(failed)} not`,
  mend: (count: number) => `Mend the ${rows(count)} that cannot be imported`,
  sameAsJson: "The same rows as JSON",
  failedRows: "Rows that cannot be imported",
  firstRows: "The first rows",
  row: "Row",
  why: "Why it cannot be imported",
  more: (count: number) => `and ${counted(count, "more row", "more rows")}`,
  noFile: "Choose a file, or paste its text.",
  notUtf8: "The file is not in UTF-8: save it as CSV UTF-8, or as JSON.",
  noPreview: "These rows are not from a preview: begin again.",
  tooLarge: (max: number) => `The file is larger than ${exactBytesText(max)}: send it in parts.`,
  unreadable: "The form cannot be read, or was cut off: send it again.",
};

function rows(count: number): string {
  return counted(count, "row", "rows");
}

export const documents = {
  yes: "yes",
  no: "no",
  cancel: "Cancel",
  kinds,
  filters,
  tools,
  grid,
  empty,
  bulk,
  editor,
  importing,
};
