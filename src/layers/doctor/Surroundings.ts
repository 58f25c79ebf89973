import { Effect, Option, Predicate, Stream } from "effect"
import { randomBytes, hash } from "node:crypto"
import { existsSync } from "node:fs"
import { access, constants, mkdtemp, rm, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseUrl } from "../../domain/Url.ts"
import { dataDir, isEmbedded } from "../DatabaseConfig.ts"
import { newKey } from "../media/Objects.ts"
import { s3Settings } from "../media/ObjectStorage.ts"
import { makeS3Storage } from "../media/S3Storage.ts"
import { publicUrl } from "../PublicUrl.ts"
import { optionalString } from "../Settings.ts"
import { allowedHosts } from "../webhooks/AllowedHosts.ts"
import { makeOutgoing } from "../webhooks/Outgoing.ts"
import { checkNamed } from "./Check.ts"

const MIB = 1024 ** 2

/** Free bytes of the disk below which writes fail soon, and below which an operator should act. */
const FREE_PROBLEM = 100 * MIB
const FREE_WARNING = 1024 * MIB

/** Milliseconds for a response. */
const TIMEOUT = 5_000

const REFUSED = "the connection was refused"

const reasonOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return reasonOf(error.cause)
  if (Predicate.hasProperty(error, "code") && error.code === "ECONNREFUSED") return REFUSED
  return error instanceof Error && error.message !== "" ? error.message : "no response"
}

/** The nearest folder that exists. */
const existingFolder = (folder: string): string => (existsSync(folder) ? folder : existingFolder(dirname(folder)))

/** Checks the disk of `DATA_DIR`, which holds the embedded database and, without S3, files. */
export const checkDisk = Effect.gen(function* () {
  const { ok, problem, warning } = checkNamed("disk")
  const folder = resolve(yield* dataDir)
  const isUsed = (yield* isEmbedded) || Option.isNone(yield* s3Settings)
  if (!isUsed) return ok("DATA_DIR is not used")
  const existing = existingFolder(folder)
  const isWritable = yield* Effect.promise(() =>
    access(existing, constants.W_OK).then(
      () => true,
      () => false
    )
  )
  if (!isWritable) return problem(`${existing} is not writable. Set DATA_DIR to a folder of this account`)
  const { bavail, bsize } = yield* Effect.promise(() => statfs(existing))
  const free = bavail * bsize
  const text = `${Math.floor(free / MIB)} MiB are free in DATA_DIR, ${folder}`
  if (free < FREE_PROBLEM) return problem(`${text}. Free space, or set DATA_DIR to a larger disk`)
  return free < FREE_WARNING ? warning(`${text}. Free space, or set DATA_DIR to a larger disk`) : ok(text)
})

/** Writes, reads and deletes an object of a few bytes. */
export const checkStorage = Effect.gen(function* () {
  const { ok, problem } = checkNamed("files")
  const settings = yield* s3Settings
  if (Option.isNone(settings)) return ok("Files are in DATA_DIR")
  const { bucket, endpoint } = settings.value
  const place = `Bucket ${bucket} at ${new URL(endpoint).host}`
  const storage = makeS3Storage(settings.value)
  const bytes = randomBytes(16)
  const key = newKey(hash("sha256", bytes))
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "partner-api-doctor-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const path = join(folder, "object")
  yield* Effect.promise(() => writeFile(path, bytes))
  const attempt = Effect.gen(function* () {
    yield* storage.put(key, path)
    const stored = yield* storage.read(key)
    const read = Option.isSome(stored) ? Buffer.concat(yield* Stream.runCollect(stored.value)) : Buffer.alloc(0)
    yield* storage.delete(key)
    return bytes.equals(read)
  })
  return yield* Effect.match(attempt, {
    onFailure: ({ cause }) =>
      problem(`${place}: ${reasonOf(cause)}. Correct S3_ENDPOINT, S3_BUCKET and the key, or its rights`),
    onSuccess: (isSame) =>
      isSame
        ? ok(`${place}: an object was written, read and deleted`)
        : problem(`${place}: an object was read with other bytes. Use a service that is consistent after a write`)
  })
}).pipe(Effect.scoped)

const send = (url: string, init: RequestInit = {}) =>
  Effect.result(
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT), ...init })
        await response.body?.cancel()
        return response.status
      },
      catch: reasonOf
    })
  )

/** Statuses of proxies that reach no server. */
const NO_SERVER: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Requests `/healthz` at `PUBLIC_URL`. A server that was not started yet is a warning, because `doctor` also checks the
 * settings before the first start.
 */
export const checkPublicUrl = Effect.gen(function* () {
  const { ok, problem, warning } = checkNamed("public address")
  const address = yield* publicUrl
  if (address === undefined) return ok("PUBLIC_URL is not set: browsers reach the service on this machine only")
  const url = new URL("/healthz", address).href
  const answer = yield* send(url)
  if (answer._tag === "Success" && answer.success === 200) return ok(`${url} answers`)
  const reason = answer._tag === "Success" ? `status ${answer.success}` : answer.failure
  const mayBeStopped = answer._tag === "Success" ? NO_SERVER.has(answer.success) : answer.failure === REFUSED
  const result = mayBeStopped ? warning : problem
  return result(`${url}: ${reason}. Start the server, or correct PUBLIC_URL or the proxy`)
})

/** Sends an empty export to the collector. Any response counts. */
export const checkTelemetry = Effect.gen(function* () {
  const { ok, problem, warning } = checkNamed("telemetry")
  const endpoint = yield* optionalString("OTEL_EXPORTER_OTLP_ENDPOINT")
  if (Option.isNone(endpoint)) return ok("Nothing is exported without OTEL_EXPORTER_OTLP_ENDPOINT")
  const host = parseUrl(endpoint.value)?.host
  if (host === undefined) return problem("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL. Set it as in http://127.0.0.1:4318")
  const answer = yield* send(`${endpoint.value.replace(/\/$/, "")}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}"
  })
  if (answer._tag === "Success") return ok(`The collector at ${host} answers`)
  return warning(`The collector at ${host}: ${answer.failure}. Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT`)
})

/** Sends a GET request to a receiver of webhooks, as deliveries reach it. */
export const checkReceiver = Effect.fnUntraced(function* (url: string) {
  const { ok, problem } = checkNamed("receiver")
  const { get } = yield* makeOutgoing({ allowed: yield* allowedHosts })
  const { error, status } = yield* get({ url, headers: {} })
  return status === null
    ? problem(`${error ?? "No response"}. Correct the URL, its DNS or its firewall`)
    : ok(`The receiver answers with status ${status}`)
}, Effect.scoped)
