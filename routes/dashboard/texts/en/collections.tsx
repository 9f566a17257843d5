import type { Child } from "hono/jsx";
import type { RlsSetting } from "@/lib/documents/fields.ts";
import { counted, countText } from "../amounts.ts";

type Mark = (text: string) => Child;

type AccessChoice = RlsSetting["mode"] | "off";

const badges: Readonly<Record<AccessChoice, string>> = {
  private: "private",
  "public-read": "public, read-only",
  off: "no row rules",
};

interface ChoiceTexts {
  readonly label: string;
  readonly means: string;
}

const choices: Readonly<Record<AccessChoice, ChoiceTexts>> = {
  private: {
    label: "Private",
    means: "Signed-in users see and change their own rows only.",
  },
  "public-read": {
    label: "Public, read-only",
    means: "Anyone with the key reads all rows; signed-in users change their own.",
  },
  off: {
    label: "No row rules",
    means: "Anyone with the key can read all rows but not write.",
  },
};

/** Operations by the suffixes of their ids in the API. */
const operations: Readonly<Record<string, string>> = {
  List: "List",
  Aggregate: "Aggregate",
  Get: "Get",
  Create: "Create",
  CreateMany: "Create many",
  Replace: "Replace",
  Patch: "Patch",
  Delete: "Delete",
  Recover: "Recover",
  Listen: "Live list",
  CreateTicket: "Live ticket",
};

export const collections = {
  title: "Collections",
  all: "All collections",
  done: {
    deleted: "The collection is deleted.",
    added: "The proposed collections are created.",
  },
  empty: {
    admin: "A collection holds documents of one kind, such as posts or orders. Name your first.",
    viewer: "There is no collection here yet. An admin of the project creates the first.",
  },
  create: {
    title: "New collection",
    about: (link: Mark) => (
      <>
        You say what is in it on the next page, or {link("describe it")} and have it designed.
      </>
    ),
    name: "Name",
    submit: "Create collection",
  },
  table: {
    collection: "Collection",
    access: "Access",
    documents: "Documents",
    fields: "Fields",
    fieldCount: (count: number) => counted(count, "field", "fields"),
  },
  bar: {
    pagesOf: (name: string) => `Pages of ${name}`,
    badges,
    documents: "Documents",
    fields: "Fields",
    access: "Access",
    api: "API",
  },
  changeTakes: (documents: number, seconds: number) =>
    `With ${countText(documents)} documents, a change of fields or indexes may take about ` +
    `${countText(seconds)} seconds. Reads go on in the meantime; writes to this project wait ` +
    "until it is done.",

  fields: {
    titleOf: (name: string) => `Fields of ${name}`,
    title: "Fields",
    done: {
      created:
        "The collection is created. Say what its documents hold, or begin with any documents.",
      saved: "The fields are saved.",
      renamed: "The collection is renamed.",
    },
    none: "Nothing is declared: documents may hold anything.",
    strict: "Strict: reject unknown fields",
    indexes: "Indexes of several fields",
    indexesHint:
      "One per line: first the fields that queries compare with one value, then those that they " +
      "compare with a range or sort by; - sorts descending. One of them may be an Array of single " +
      "values. With “unique” in front no two documents may have the same values.",
    renaming:
      "Renaming moves its values, except for names inside an Object or an Array. A removed " +
      "field keeps its stored values.",
    add: "Add field",
    save: "Save fields",
    rename: {
      title: "Rename this collection",
      about:
        "Documents, references and webhooks go with it. Applications have to ask for the new " +
        "name from then on.",
      name: "New name",
      submit: "Rename collection",
    },
    delete: {
      title: "Delete this collection",
      about: "Permanently deletes this collection and its documents.",
      label: "Delete collection",
      loss: (name: string, documents: number) =>
        `${name} and its ${counted(documents, "document", "documents")} will be lost, those in ` +
        "its trash too.",
      submit: (name: string) => `Delete ${name}`,
      confirm: (name: string) => `Type ${name} to go on`,
      notConfirmed: (name: string) => `Type its name to delete it: ${name}.`,
    },
  },

  row: {
    newField: "the new field",
    nameOf: (field: string) => `Name of ${field}`,
    namePlaceholder: "name",
    typeOf: (field: string) => `Type of ${field}`,
    defaultOf: (field: string) => `Default of ${field}`,
    noDefault: "no default",
    owner: "owner",
    remove: "Remove",
    removeOf: (field: string) => `Remove ${field}`,
    flags: {
      required: "required",
      unique: "unique",
      index: "index",
      search: "search",
      public: "public",
    },
    flagOf: (field: string, flag: string) => `${field} ${flag}`,
    holds: {
      of: (field: string) => `What ${field} holds`,
      text: "text",
      keep: "files",
      remove: "files that go with it",
    },
    eachElement: "Each element is",
    elementsOf: (field: string) => `Elements of ${field}`,
    anything: "anything",
    noMembers: "It has no members.",
    anyMembers: "It may have any members.",
    add: "Add field",
    addTo: (field: string) => `Add field to ${field}`,
    details: "Details",
    detailsOf: (type: string) => `Details: ${type}`,
    anyText: "any text",
    valuesTitle: "The values that it can have, with commas between them; any text if left empty",
    valuesOf: (type: string) => `${type}: its values, if it has only some`,
    toWhichOf: (type: string) => `${type}: to which collection`,
    toNone: "to…",
  },

  access: {
    titleOf: (name: string) => `Access of ${name}`,
    title: "Access",
    done: {
      saved: "Access is saved. It holds within five seconds everywhere.",
      indexed: "The index is created.",
      dropped: "The index is removed.",
    },
    whoTitle: "Who may do what",
    about: "Applies to the publishable key. The secret key may always do everything.",
    choices,
    who: "Who",
    read: "List and read",
    create: "Create",
    change: "Change, delete",
    callers: {
      key: "publishable key",
      user: "+ signed-in user",
      other: "+ another user",
      secret: "secret key",
    },
    rights: {
      signIn: "sign-in needed",
      refused: "refused",
      hidden: "hidden",
      allRows: "all rows",
      ownRows: "own rows",
      asOwner: "as owner",
      anyOwner: "any owner",
      anyRow: "any row",
    },
    ownerField: "Owner field",
    ownerFieldAbout: "Holds the user's id; set by the server, never by the client.",
    save: "Save access",
  },

  indexes: {
    title: "Indexes",
    about: "Index the fields you filter or sort by. Each index makes writes a little slower.",
    fields: "Fields",
    kind: "Kind",
    unique: "unique",
    plain: "plain",
    madeFor: "Made for",
    reasons: {
      definition: "the definition",
      rowRules: "row rules, by the server",
      lists: "lists, by the server",
      field: "the field",
    },
    remove: {
      label: "Remove",
      uniqueLoss: (field: string) => `Two documents may then have the same ${field}.`,
      plainLoss: (field: string) =>
        `Lists that filter or sort by ${field} may then read every row.`,
      submit: (field: string) => `Remove the index of ${field}`,
    },
    noFields: "Declare a field first, then it can have an index.",
    field: "Field",
    uniqueChoice: "Unique: no two documents may have the same value",
    add: "Add index",
  },

  api: {
    titleOf: (name: string) => `API of ${name}`,
    keys: "Keys",
    audiences: { client: "With the publishable key", server: "With the secret key" },
    operationsLabel: "Operations",
    operations,
    notes: {
      server: "The secret key reads and writes all documents, from servers alone.",
      rowRules: (link: Mark) => (
        <>
          {"<accessToken>"} is what a user gets by signing in. The {link("reference")} has the rest.
        </>
      ),
      noRowRules: (link: Mark) => (
        <>
          The publishable key reads. Only the secret key writes. The {link("reference")}{" "}
          has the rest.
        </>
      ),
    },
    client: "Client",
    answers: "Answers",
    refusals: (count: number) => `Refusals (${count})`,
    filters: (count: number) => `Filters (${count})`,
  },

  run: {
    documentId: "Document id",
    query: "Query",
    token: "Access token",
    tokenIfSignedIn: "Access token, if a user is signed in",
    body: "Body",
    label: "Run it",
    loss: "This changes documents of the project.",
    submit: "Run it on the project's documents",
    answer: "The answer",
    sending: "Sending …",
    answered: (status: string, ms: string, requestId: string) =>
      `${status} in ${ms} ms, x-request-id ${requestId}`,
    failed: (why: string) => `No answer: ${why}`,
  },
};
