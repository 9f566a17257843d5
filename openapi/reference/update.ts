/**
 * Makes `scalar.js.br` from the published package. The package is not a dependency, because its
 * bundle is one file of 4.3 MB while its own dependencies would fill the cache with 289 MB.
 *
 *     npm pack @scalar/api-reference@1.72.1 && tar xzf scalar-api-reference-1.72.1.tgz
 *     deno run --allow-read --allow-write openapi/reference/update.ts package
 */
import { brotliCompressSync, constants } from "node:zlib";

const [folder] = Deno.args;
if (folder === undefined) {
  console.error("Name the folder of the unpacked package.");
  Deno.exit(1);
}
const { version } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
const script = await Deno.readFile(`${folder}/dist/browser/standalone.js`);
const packed = brotliCompressSync(script, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: script.length,
  },
});
await Deno.writeFile(new URL("scalar.js.br", import.meta.url), packed);
console.log(`@scalar/api-reference ${version}: ${script.length} bytes, packed ${packed.length}`);
