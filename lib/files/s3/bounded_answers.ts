import { pipeline, Readable, Transform } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";

/** A page of a list is below 2 MB, with the longest keys that S3 has. */
const ANSWER_BYTES_MAX = 8 * 1_048_576;

/**
 * The SDK reads answers to their end and into memory, those of a stranger's store too. Only the
 * bytes of an object may be more than an answer ever is: they are streamed.
 */
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
  // Whoever reads the limited stream is told of failures by it.
  return pipeline(body, limit, () => {});
}
