import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { changeAccess, showAccess } from "./access.tsx";
import { showCalls } from "./api.tsx";
import {
  changeFields,
  deleteCollectionByForm,
  renameCollectionByForm,
  showFields,
} from "./fields.tsx";
import { createCollectionByForm, showCollections } from "./list.tsx";

const ALL = "/dashboard/projects/{projectId}/collections";
const ONE = `${ALL}/{collectionName}`;

export function collectionsPages(mount: Mount): void {
  mount(get(ALL, member("viewer")), showCollections);
  mount(post(ALL, member("admin")), createCollectionByForm);
  mount(get(`${ONE}/fields`, member("viewer")), showFields);
  mount(post(`${ONE}/fields`, member("admin")), changeFields);
  mount(post(`${ONE}/rename`, member("admin")), renameCollectionByForm);
  mount(post(`${ONE}/delete`, member("admin")), deleteCollectionByForm);
  mount(get(`${ONE}/access`, member("viewer")), showAccess);
  mount(post(`${ONE}/access`, member("admin")), changeAccess);
  mount(get(`${ONE}/api`, member("viewer")), showCalls);
}
