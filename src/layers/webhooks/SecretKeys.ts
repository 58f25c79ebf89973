import { Config, ConfigProvider, Effect, Option } from "effect"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { dataDir, isEmbedded } from "../Database.ts"
import { makeFolder } from "../Folder.ts"
import { invalidSetting, textIfAny } from "../Settings.ts"
import { reasonOf } from "../postgres/Failed.ts"
import { KEY_BYTES, makeSealing, type Sealing } from "./Sealing.ts"

const FORM = `${KEY_BYTES} bytes in base64, as "openssl rand -base64 ${KEY_BYTES}" makes them`

const decode = (text: string) => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === KEY_BYTES && bytes.toString("base64") === text ? Option.some(bytes) : Option.none()
}

/** What was given is not repeated: it is secret. */
const key = (name: string) =>
  Config.mapEffect(textIfAny(name), (given) =>
    Option.isSome(given) && Option.isNone(decode(given.value.trim()))
      ? Effect.fail(invalidSetting(name, `Expected ${FORM}`))
      : Effect.succeed(Option.flatMap(given, (text) => decode(text.trim())))
  )

const given = Config.all({ current: key("SECRET_KEY"), previous: key("SECRET_KEY_PREVIOUS") })

/** The keys that are configured. Beside a database of the operator's own there must be one. */
export const configuredKeys = Effect.filterOrFail(
  Effect.all({ given, isEmbedded }),
  ({ given: { current }, isEmbedded }) => isEmbedded || Option.isSome(current),
  () =>
    invalidSetting(
      "SECRET_KEY",
      `Expected beside DATABASE_URL: ${FORM}. The secrets of webhooks are sealed with it; keep it as long as the database`
    )
).pipe(Effect.map(({ given }) => given))

const isTaken = (error: unknown) => error instanceof Error && "code" in error && error.code === "EEXIST"

/** Makes the file whole and once, however many processes start at once. */
const make = (file: string) => {
  const half = `${file}.${process.pid}`
  writeFileSync(half, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(half, file)
  } catch (error) {
    if (!isTaken(error)) throw error
  } finally {
    rmSync(half)
  }
}

/** The key in the file of a folder, which is made if there is none. */
const keyIn = (folder: string) => {
  makeFolder(folder)
  const file = join(folder, "secret.key")
  if (!existsSync(file)) make(file)
  return Option.getOrThrowWith(
    decode(readFileSync(file, "utf8").trim()),
    () => new Error(`${file} does not hold ${FORM}`)
  )
}

/** The embedded database's own key, which is kept beside its data. */
const ownKey = Effect.flatMap(dataDir, (folder) =>
  Effect.try({
    try: () => keyIn(folder),
    catch: (thrown) => invalidSetting("DATA_DIR", reasonOf(thrown))
  })
)

/** How the secrets of webhooks are sealed and opened, with the operator's keys or those of the embedded database. */
export const sealing: Effect.Effect<Sealing, Config.ConfigError> = Effect.gen(function* () {
  const { current, previous } = yield* configuredKeys
  return makeSealing(Option.isSome(current) ? current.value : yield* ownKey, ...Option.toArray(previous))
})

/** The same once it is needed, by what is configured now: most commands of operators make no secret, and need no key. */
export const sealingLater: Effect.Effect<Effect.Effect<Sealing>> = ConfigProvider.ConfigProvider.use((provider) =>
  Effect.cached(Effect.orDie(Effect.provideService(sealing, ConfigProvider.ConfigProvider, provider)))
)
