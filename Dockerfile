# Not run here: no container engine was at hand where this was written. So the images are named by
# exact versions and not by digests: pin those that you have pulled.
ARG DENO_VERSION=2.9.6

FROM node:20.19.5-bookworm-slim AS fetch
ARG DENO_VERSION
WORKDIR /app
RUN npm install --global deno@${DENO_VERSION} \
  && cp "$(deno eval 'console.log(Deno.execPath())')" /usr/local/bin/deno-binary
COPY deno.json deno.lock main.ts permissions.ts ./
COPY client client
COPY docs docs
COPY lib lib
COPY openapi openapi
COPY routes routes
RUN DENO_DIR=/app/.deno deno-binary cache --frozen main.ts lib/store/sqlite/scan_worker.ts \
    lib/store/mongo/engine.ts lib/files/s3/blobs.ts \
    routes/serve.ts routes/admin/mod.ts routes/admin/file_schemas.ts \
    routes/admin/foreign_archives.ts openapi/project/typescript.ts

FROM debian:12.12-slim
COPY --from=fetch /usr/local/bin/deno-binary /usr/local/bin/deno
COPY --from=fetch --chown=root:root /app /app
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin corbel \
  && mkdir --mode=700 /data && chown corbel /data
# By its number, so that Kubernetes sees that it is not root.
USER 10001
WORKDIR /app
ENV DENO_DIR=/app/.deno DENO_NO_UPDATE_CHECK=1 HOST=0.0.0.0 DATABASE_URL=sqlite:/data \
  STORAGE_URL=file:/data/files
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["deno", "eval", \
  "const r = await fetch('http://127.0.0.1:' + (Deno.env.get('PORT') ?? 8000) + '/api/health/ready'); Deno.exit(r.ok ? 0 : 1)"]
CMD ["deno", "task", "start"]
