import pico from "@picocss/pico/css/pico.min.css" with { type: "text" };
import tus from "tus-js-client/dist/tus.min.js" with { type: "text" };
import htmx from "htmx.org/dist/htmx.min.js" with { type: "text" };
import { type Asset, assetsOf, serveAssets } from "../assets.ts";
import base from "./assets/base.css" with { type: "text" };
import owners from "./assets/owners.css" with { type: "text" };
import collections from "./assets/collections.css" with { type: "text" };
import cellEditor from "./assets/cell_editor.js" with { type: "text" };
import code from "./assets/code.js" with { type: "text" };
import columnWidth from "./assets/column_width.js" with { type: "text" };
import copy from "./assets/copy.js" with { type: "text" };
import fileDrop from "./assets/file_drop.js" with { type: "text" };
import files from "./assets/files.css" with { type: "text" };
import designer from "./assets/designer.js" with { type: "text" };
import documentsStyle from "./assets/documents.css" with { type: "text" };
import documents from "./assets/documents.js" with { type: "text" };
import liveChanges from "./assets/live_changes.js" with { type: "text" };
import mailPreview from "./assets/mail_preview.js" with { type: "text" };
import links from "./assets/links.js" with { type: "text" };
import runCall from "./assets/run_call.js" with { type: "text" };
import recordPanel from "./assets/record_panel.js" with { type: "text" };
import times from "./assets/times.js" with { type: "text" };

const FOLDER = "/dashboard/assets/";
const asset = assetsOf(FOLDER);

/** Style sheets in the order of the cascade; few, because each is a request of a first visit. */
export const STYLES: readonly Asset[] = [
  asset("pico", "css", pico),
  asset("dashboard", "css", [base, files, owners, collections, documentsStyle].join("\n")),
];

/** Joins modules into one, each in a block of its own, so that their declarations stay private. */
const joinModules = (modules: readonly string[]): string =>
  modules.map((text) => `{\n${text}}\n`).join("");

/** Scripts of all pages, because content that htmx replaces cannot bring scripts of its own. */
export const SCRIPTS: readonly Asset[] = [
  // Exposes htmx to scripts that insert parts of other pages.
  asset("htmx", "js", `${htmx}\nglobalThis.htmx = htmx;`),
  asset(
    "dashboard",
    "js",
    joinModules([
      links,
      times,
      copy,
      code,
      fileDrop,
      designer,
      mailPreview,
      documents,
      recordPanel,
      cellEditor,
      columnWidth,
      liveChanges,
      runCall,
    ]),
  ),
];

/** The upload library, loaded by the first dropped file. */
export const TUS: Asset = asset("tus", "js", tus);

export const ICON: Asset = asset(
  "icon",
  "svg",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0f6b5c">' +
    '<path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z"/></svg>',
);

export const serveAsset = serveAssets(FOLDER, [...STYLES, ...SCRIPTS, TUS, ICON]);
