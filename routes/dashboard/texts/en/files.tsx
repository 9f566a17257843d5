import type { Child } from "hono/jsx";
import { counted, countText } from "../amounts.ts";

type Mark = (text: string) => Child;

export const files = {
  title: "Files",
  done: {
    uploaded: "The file is uploaded.",
    deleted: "The file is deleted.",
    public: "The file is public: anyone who knows its address can read it.",
    private: "The file is private: its public address no longer works.",
  },
  empty: {
    page: "There are no more files.",
    admin: "No files so far. Choose one above, or have your server request an upload.",
    viewer: "No files so far. Admins upload them here, and servers by the API.",
  },
  pages: { label: "Pages", first: "First page", next: "Next page" },
  used: "Used",
  inOwnBucket: "New files go to the project's own bucket.",
  /** Shown instead of a picture for a file without an extension. */
  unknownType: "file",
  upload: {
    title: "Upload",
    file: (size: string) => `A file of up to ${size}`,
    submit: "Upload",
    drop: "Or drop files and folders here.",
    folder: "Choose a folder",
    sent: (done: string, all: string) => `${done} of ${all} files are uploaded.`,
    unreachable: "Corbel cannot be reached: try again.",
    failed: "That went wrong: try again.",
    lost: "The connection is lost: drop the file again.",
  },
  tile: {
    private: "private",
    noAddress: "No public address",
    owner: (link: Mark) => <>of {link("a user")}</>,
    details: "Details",
    copyUrl: "Copy URL",
  },
  makePublic: "Make public",
  makePrivate: "Make private",
  deleteLoss: (size: string) => `The file is gone for good, and its address with it: ${size}.`,
  deleteForGood: "Delete for good",
  details: {
    path: "Path",
    address: "Address",
    noAddress: "none that everybody may read",
    type: "Type",
    readBy: "Read by",
    readers: { private: "anyone with a signed address", public: "everybody" },
    uploaded: "Uploaded",
    uploadedBy: (when: Child, link: Mark) => <>{when} by {link("a user")}</>,
  },
  uses: {
    title: "Where it is used",
    none: () => (
      <>
        No document holds it in a field with <code>file: true</code>.
      </>
    ),
    documents: (count: number, collection: string) =>
      `${counted(count, "document", "documents")} of ${collection}`,
    inField: (documents: Child, field: Child) => <>{documents} in {field}</>,
    inFieldAndTrash: (documents: Child, field: Child, inTrash: number) => (
      <>{documents} in {field}, and {countText(inTrash)} in the trash</>
    ),
  },
  sizes: {
    title: "Sizes",
    about: "The picture in other sizes, in the best format that the browser knows. Each is made " +
      "when it is first asked for.",
    wide: (pixels: number) => `${pixels} pixels wide`,
  },
  userUploads: {
    title: "Uploads by users",
    saved: "Saved. It holds within five seconds.",
    about: "Users of your application upload files with the publishable key and their access " +
      "token: no server of yours is needed. Each sees and deletes their own files only; anyone " +
      "who knows the address of a file reads it, unless it is private.",
    who: "Who uploads",
    servers: "Servers",
    serversHint: "Only your server, with the secret key, and members in this dashboard.",
    serversAndMembers: "Servers and members",
    signedIn: "Signed-in users, too",
    signedInHint: "All signed-in users, including anonymous ones.",
    file: "Largest file of a user",
    fileMb: "Largest file of a user, in MB",
    all: "Room for each user",
    allMb: "Room for each user, in MB",
    allHint: (max: number) =>
      `All of a user's files together; ${max} files at most. The plan's limits hold, too.`,
    types: "Types",
    typesHint: "For example application/pdf, image/* or */*, with commas between them.",
    save: "Save uploads",
  },
  storage: {
    title: "Storage",
    done: {
      saved: "Saved. New files go to this bucket. Check it now, so that no upload fails there.",
      cleared: "New files go to Corbel's storage.",
    },
    ownBucket: "Own bucket",
    aboutOff: "Files go to Corbel's storage. Connect an S3 bucket, and new files go there instead.",
    aboutOn:
      "New files go to this bucket. Endpoint and bucket cannot change while files are in it.",
    endpoint: "Endpoint",
    endpointHint: "The address of the store. Empty for AWS.",
    bucket: "Bucket",
    region: "Region",
    regionHint: "AWS needs it. Other stores mostly take any.",
    pathStyle: "The bucket's name in addresses",
    /** Texts by the values of the form. */
    pathStyles: {
      "": "as usual: in the path, for AWS in the host",
      path: "in the path",
      host: "in the host",
    },
    publicUrl: "Public URL",
    publicUrlHint: "Where everybody can read the bucket. Without it files have no address.",
    noPublicUrl: "none",
    accessKeyId: "Access key ID",
    secretAccessKey: "Secret access key",
    keepKey: "stored, leave empty to keep",
    keys: "Keys",
    keysStored: "stored",
    disconnect: {
      title: "Disconnect the bucket",
      about: "New files go to Corbel's storage again. It is refused while files are in the bucket.",
      label: "Disconnect",
      loss: "The address of the bucket and its keys are forgotten. What is in the bucket stays " +
        "there.",
      submit: "Disconnect the bucket",
    },
  },
  check: {
    title: "Check",
    about: "Tries each step of an upload in the bucket, as Corbel, as a browser and as a " +
      "stranger. It leaves nothing there and takes a few seconds.",
    submit: "Check the bucket",
    found: "What the check found",
    works: "The bucket works.",
    fails: "The bucket does not work yet: see what failed.",
    results: { ok: "ok", warning: "warning", failed: "failed", skipped: "skipped" },
    corsRules: "CORS rules for the bucket",
    policy: "Policy for the bucket",
  },
};
