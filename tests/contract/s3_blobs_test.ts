import { Secret } from "@/lib/crypto/secret.ts";
import { openS3Blobs, type S3Options } from "@/lib/files/s3/blobs.ts";
import { createTestBucket, hasS3, type TestBucket } from "../support/s3.ts";
import { blobsContract } from "./blobs.ts";

const optionsOf = ({ name, account }: TestBucket): S3Options => ({
  ...account,
  secretAccessKey: new Secret(account.secretAccessKey),
  bucket: name,
  pathStyle: true,
  publicUrl: `${account.endpoint}/${name}`,
});

if (hasS3()) {
  blobsContract("s3", {
    async open() {
      await using opening = new AsyncDisposableStack();
      const bucket = opening.use(await createTestBucket());
      const options = optionsOf(bucket);
      const blobs = opening.use(openS3Blobs(options));
      // Of a client without a name, connections outlive the test.
      const http = opening.adopt(Deno.createHttpClient({}), (client) => client.close());
      const opened = opening.move();
      return {
        blobs,
        now: () => Date.now(),
        expect: () => Promise.resolve(),
        async put(address, { body, contentType }) {
          const response = await fetch(address, {
            method: "PUT",
            body,
            headers: { "content-type": contentType },
            client: http,
          });
          await response.body?.cancel();
          return response.status;
        },
        again: () => Promise.resolve(openS3Blobs(options)),
        broken: () => Promise.resolve(openS3Blobs({ ...options, endpoint: "http://127.0.0.1:1" })),
        secrets: [bucket.account.secretAccessKey],
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
  });
}
