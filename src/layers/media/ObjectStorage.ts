import { Config, Effect, Layer, Option, Redacted } from "effect"
import { join } from "node:path"
import { ObjectStorage } from "../../domain/media/ObjectStorage.ts"
import { parseUrl } from "../../domain/Url.ts"
import { dataDir } from "../DatabaseConfig.ts"
import { invalidSetting, optionalString } from "../Settings.ts"
import { makeFolderStorage } from "./FolderStorage.ts"
import { makeS3Storage, type S3Settings } from "./S3Storage.ts"

const REQUIRED = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const

/** Settings of the S3-compatible service. None if no setting is there; with one of them, the others are required. */
export const s3Settings = Effect.gen(function* () {
  const [endpoint, bucket, accessKeyId, secretAccessKey] = yield* Config.all([
    optionalString("S3_ENDPOINT"),
    optionalString("S3_BUCKET"),
    optionalString("S3_ACCESS_KEY_ID"),
    optionalString("S3_SECRET_ACCESS_KEY")
  ])
  const region = yield* optionalString("S3_REGION")
  const values = [endpoint, bucket, accessKeyId, secretAccessKey]
  if (values.every(Option.isNone)) return Option.none<S3Settings>()
  const missing = REQUIRED.find((_, index) => values[index] === undefined || Option.isNone(values[index]))
  if (missing !== undefined)
    return yield* Effect.fail(invalidSetting(missing, `Required with the other settings of ${REQUIRED.join(", ")}`))
  const url = parseUrl(Option.getOrThrow(endpoint))
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return yield* Effect.fail(
      invalidSetting("S3_ENDPOINT", "Expected a URL as in https://s3.eu-central-1.amazonaws.com")
    )
  }
  return Option.some<S3Settings>({
    endpoint: url.href.replace(/\/$/, ""),
    bucket: Option.getOrThrow(bucket),
    region: Option.getOrElse(region, () => "us-east-1"),
    accessKeyId: Option.getOrThrow(accessKeyId),
    secretAccessKey: Redacted.make(Option.getOrThrow(secretAccessKey))
  })
})

const folderStorage = Effect.map(dataDir, (folder) => makeFolderStorage(join(folder, "media")))

/** Stores objects in an S3-compatible service if `S3_*` are set, and in `DATA_DIR` otherwise. */
export const ObjectStorageLive = Layer.effect(
  ObjectStorage,
  Effect.flatMap(
    s3Settings,
    Option.match({
      onNone: () => folderStorage,
      onSome: (settings) => Effect.succeed(makeS3Storage(settings))
    })
  )
)

/** Opens the folder and the S3-compatible service, to move objects from one to the other. */
export const bothStorages = Effect.gen(function* () {
  const s3 = yield* s3Settings
  if (Option.isNone(s3)) {
    return yield* Effect.fail(
      invalidSetting("S3_ENDPOINT", `Required to move files, with the other settings of ${REQUIRED.join(", ")}`)
    )
  }
  return { folder: yield* folderStorage, s3: makeS3Storage(s3.value) }
})
