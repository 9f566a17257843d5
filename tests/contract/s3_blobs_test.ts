import { openS3Blobs } from "@/lib/files/s3/blobs.ts";
import { hasS3 } from "../support/s3.ts";
import { blobsContract } from "./blobs.ts";
import { openBucket } from "./s3_fixtures.ts";

if (hasS3()) {
  blobsContract("s3", {
    async open() {
      const opened = await openBucket();
      const { blobs, bucket, options } = opened;
      return {
        blobs,
        now: () => Date.now(),
        expect: () => Promise.resolve(),
        async put(address, { body, contentType }) {
          const headers = { "content-type": contentType };
          return (await opened.visit(address, { method: "PUT", body, headers })).status;
        },
        again: () => Promise.resolve(openS3Blobs(options)),
        broken: () => Promise.resolve(openS3Blobs({ ...options, endpoint: "http://127.0.0.1:1" })),
        secrets: [bucket.account.secretAccessKey],
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
  });
}
