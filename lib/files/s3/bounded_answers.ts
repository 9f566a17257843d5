import { pipeline, Readable, Transform } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";

/** Limit of a response in bytes. A page of a list with the longest keys of S3 is below 2 MB. */
const ANSWER_BYTES_MAX = 8 * 1_048_576;

/** Limits responses, which the SDK reads into memory, except for streamed objects. */
export function boundAnswers({ config: { requestHandler } }: S3Client): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, options) => {
    const answer = await handle(request, options);
    const { response } = answer;
    const isObject = request.query?.["x-id"] === "GetObject" && response.statusCode < 300;
    if (!isObject && response.body instanceof Readable) response.body = bounded(response.body);
    return answer;
  };
}

function bounded(body: Readable): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) done(new Error("The store's answer is too long"));
      else done(null, chunk);
    },
  });
  // Errors reach the reader through the returned stream, so the callback has nothing to do.
  return pipeline(body, limit, () => {});
}
