import { Config, ConfigProvider, Context, Effect, Layer, Option } from "effect"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { dataDir, isEmbedded } from "../DatabaseConfig.ts"
import { makeFolder } from "../Folder.ts"
import { invalidSetting, optionalString } from "../Settings.ts"
import { formatReason } from "../postgres/EmbeddedPostgresFailed.ts"
import { KEY_BYTES, makeSealing, type Sealing } from "./Sealing.ts"

const FORM = `${KEY_BYTES} bytes in base64, as "openssl rand -base64 ${KEY_BYTES}" makes them`

const decode = (text: string) => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === KEY_BYTES && bytes.toString("base64") === text ? Option.some(bytes) : Option.none()
}

/** Parses a key. The error does not repeat the value, which is secret. */
const key = (name: string) =>
  Config.mapEffect(optionalString(name), (value) =>
    Option.isSome(value) && Option.isNone(decode(value.value.trim()))
      ? Effect.fail(invalidSetting(name, `Expected ${FORM}`))
      : Effect.succeed(Option.flatMap(value, (text) => decode(text.trim())))
  )

const settings = Config.all({ current: key("SECRET_KEY"), previous: key("SECRET_KEY_PREVIOUS") })

/** Configured keys. `SECRET_KEY` is required unless the database is embedded. */
export const configuredKeys = Effect.filterOrFail(
  Effect.all({ settings, isEmbedded }),
  ({ settings: { current }, isEmbedded }) => isEmbedded || Option.isSome(current),
  () =>
    invalidSetting(
      "SECRET_KEY",
      `Expected beside DATABASE_URL: ${FORM}. The secrets of webhooks are sealed with it; keep it as long as the database`
    )
).pipe(Effect.map(({ settings }) => settings))

const isExisting = (error: unknown) => error instanceof Error && "code" in error && error.code === "EEXIST"

/** Creates the key file atomically, even if several processes start at once. */
const createKeyFile = (file: string) => {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (!isExisting(error)) throw error
  } finally {
    rmSync(temporary)
  }
}

/** Reads the key file of a folder, or creates it. */
const readKeyFile = (folder: string) => {
  makeFolder(folder)
  const file = join(folder, "secret.key")
  if (!existsSync(file)) createKeyFile(file)
  return Option.getOrThrowWith(
    decode(readFileSync(file, "utf8").trim()),
    () => new Error(`${file} does not hold ${FORM}`)
  )
}

/** Key of the embedded database, stored beside its data. */
const embeddedKey = Effect.flatMap(dataDir, (folder) =>
  Effect.try({
    try: () => readKeyFile(folder),
    catch: (thrown) => invalidSetting("DATA_DIR", formatReason(thrown))
  })
)

/** Sealing of webhook secrets with the configured keys, or with that of the embedded database. */
export const sealing: Effect.Effect<Sealing, Config.ConfigError> = Effect.gen(function* () {
  const { current, previous } = yield* configuredKeys
  return makeSealing(Option.isSome(current) ? current.value : yield* embeddedKey, ...Option.toArray(previous))
})

/** Reads the keys on first use, from the current configuration: most operator commands need no key. */
export class SecretKeys extends Context.Service<SecretKeys>()("layers/webhooks/SecretKeys", {
  make: Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    return {
      sealing: yield* Effect.cached(
        Effect.orDie(Effect.provideService(sealing, ConfigProvider.ConfigProvider, provider))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
