import { BLOB_CALL_MS, PUBLISH_MS } from "@/lib/files/blobs.ts";
import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { showFileDetails } from "./details.tsx";
import {
  backToFiles,
  changeVisibilityByForm,
  deleteFileByForm,
  openFile,
  showFiles,
  uploadByForm,
} from "./files.tsx";
import {
  backToStorage,
  checkStorageByForm,
  clearStorageByForm,
  saveStorageByForm,
  showStorage,
} from "./storage.tsx";
import { saveUserUploads, showUserUploads } from "./user_uploads.tsx";

const PATH = "/dashboard/projects/{projectId}/files";
const STORAGE = `${PATH}/storage`;

/** Time limit of the confirmation after the last byte. */
const CONFIRM_MS = PUBLISH_MS + BLOB_CALL_MS;

export function filesPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showFiles);
  mount(post(PATH, member("admin"), { extraMs: CONFIRM_MS }), uploadByForm);
  mount(get(`${PATH}/details`, member("viewer")), showFileDetails);
  mount(get(`${PATH}/open`, member("viewer")), openFile);
  mount(get(`${PATH}/visibility`, member("viewer")), backToFiles);
  mount(post(`${PATH}/visibility`, member("admin")), changeVisibilityByForm);
  mount(get(`${PATH}/delete`, member("viewer")), backToFiles);
  mount(post(`${PATH}/delete`, member("admin")), deleteFileByForm);
  mount(get(`${PATH}/uploads`, member("viewer")), showUserUploads);
  mount(post(`${PATH}/uploads`, member("admin")), saveUserUploads);
  mount(get(STORAGE, member("viewer")), showStorage);
  mount(post(STORAGE, member("admin")), saveStorageByForm);
  mount(get(`${STORAGE}/check`, member("viewer")), backToStorage);
  mount(get(`${STORAGE}/clear`, member("viewer")), backToStorage);
  mount(post(`${STORAGE}/check`, member("admin")), checkStorageByForm);
  mount(post(`${STORAGE}/clear`, member("admin")), clearStorageByForm);
}
