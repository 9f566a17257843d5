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

/** In the order in which they count. Few files: each costs a first visit a request. */
export const STYLES: readonly Asset[] = [
  asset("pico", "css", pico),
  asset("dashboard", "css", [base, files, owners, collections, documentsStyle].join("\n")),
];

/** One module of several, each of which keeps what it declares to itself. */
const joined = (modules: readonly string[]): string =>
  modules.map((text) => `{\n${text}}\n`).join("");

/** Every page has all of them: what htmx puts in its place brings no scripts of its own. */
export const SCRIPTS: readonly Asset[] = [
  // What a module declares is its own: scripts that put parts of pages into others need it, too.
  asset("htmx", "js", `${htmx}\nglobalThis.htmx = htmx;`),
  asset(
    "dashboard",
    "js",
    joined([
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

/** Loaded by the first file that is dropped: no other page needs it. */
export const TUS: Asset = asset("tus", "js", tus);

export const ICON: Asset = asset(
  "icon",
  "svg",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0f6b5c">' +
    '<path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z"/></svg>',
);

export const serveAsset = serveAssets(FOLDER, [...STYLES, ...SCRIPTS, TUS, ICON]);
