import { assetsOf, serveAssets } from "../assets.ts";
import style from "./assets/reference.css" with { type: "text" };
import script from "./assets/reference.js" with { type: "text" };

const FOLDER = "/docs/assets/";
const asset = assetsOf(FOLDER);

export const STYLE = asset("reference", "css", style);
export const SCRIPT = asset("reference", "js", script);

export const serveReferenceAsset = serveAssets(FOLDER, [STYLE, SCRIPT]);
