import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { python } from "../../services/languages.ts";
import { require } from "../../services/mod.ts";
import { installPython, runTool } from "../tools.ts";
import { openOutside, type Outside } from "./outside.ts";

const program = await require(python);
const SOURCE = fileURLToPath(new URL("python", import.meta.url));

/** Performs an action of `Outside` for a test program in another language. */
async function answerOutside(outside: Outside, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const given = (name: string) => searchParams.get(name)!;
  switch (pathname) {
    case "/code":
      return Response.json(await outside.nextCode(given("to")));
    case "/mail": {
      const { subject, text } = await outside.mails.next(given("to"));
      return Response.json({ subject, text });
    }
    case "/unverified":
      await outside.unverifiedUser({ email: given("email"), password: given("password") });
      return Response.json(null);
    case "/return":
      return Response.json(await outside.socialReturn());
    default:
      return new Response(null, { status: 404 });
  }
}

Deno.test({
  name: "every public method of urbackend does what it or docs/clients.md documents",
  ignore: program === null,
  async fn() {
    await using outside = await openOutside();
    const { fixture, project } = outside;
    await using outsideServer = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => answerOutside(outside, request),
    );
    const folder = await Deno.makeTempDir({ prefix: "corbel-clients-" });
    await using _folder = {
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
    for await (const { name } of Deno.readDir(SOURCE)) {
      await Deno.copyFile(`${SOURCE}/${name}`, `${folder}/${name}`);
    }
    const programs = await installPython(program!, "requirements.txt", folder);
    const env = {
      CORBEL_URL: fixture.server.url,
      CORBEL_PUBLISHABLE_KEY: project.publishableKey,
      CORBEL_SECRET_KEY: project.secretKey,
      CORBEL_KEY_WITH_TEMPLATE: outside.keyWithTemplate,
      OUTSIDE_URL: `http://127.0.0.1:${outsideServer.addr.port}`,
    };
    const printed = await runTool([`${programs}/python`, "try.py"], { cwd: folder, env });
    const { methods, missed } = JSON.parse(printed);
    assert.deepEqual(missed, []);
    assert.ok(methods >= 25, `${methods} methods`);
  },
});
