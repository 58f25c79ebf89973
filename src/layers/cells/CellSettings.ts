import { type Config, Effect, Option, type Redacted, Schema } from "effect"
import { CellName, MAIN } from "../../domain/cells/Cells.ts"
import { postgresUrl } from "../DatabaseConfig.ts"
import { invalidSetting, optionalString } from "../Settings.ts"

/** Database of a cell. */
export interface CellSettings {
  readonly name: CellName
  /** Name of the setting with the URL. */
  readonly setting: string
  readonly url: Redacted.Redacted
  /** URL that bypasses the pooler at `url`. */
  readonly directUrl: Redacted.Redacted | undefined
  /** URL of a replica, for reads. */
  readonly readUrl: Redacted.Redacted | undefined
}

const isCellName = Schema.is(CellName)

const cellNames = Effect.gen(function* () {
  const text = Option.getOrElse(yield* optionalString("CELLS"), () => "")
  const names = text.split(",").map((name) => name.trim())
  return yield* Effect.forEach(
    names.filter((name) => name !== ""),
    (name) =>
      isCellName(name) && name !== MAIN
        ? Effect.succeed(name)
        : Effect.fail(
            invalidSetting(
              "CELLS",
              `Expected names of cells, separated by commas, each of lower-case letters and digits and not main, but received ${JSON.stringify(name)}`
            )
          )
  )
})

const readCell = Effect.fnUntraced(function* (name: CellName) {
  const prefix = `CELL_${name.toUpperCase()}`
  const setting = `${prefix}_URL`
  const url = yield* postgresUrl(setting)
  if (Option.isNone(url)) return yield* Effect.fail(invalidSetting(setting, `Required, because CELLS names ${name}`))
  const directUrl = Option.getOrUndefined(yield* postgresUrl(`${prefix}_DIRECT_URL`))
  const readUrl = Option.getOrUndefined(yield* postgresUrl(`${prefix}_READ_URL`))
  return { name, setting, url: url.value, directUrl, readUrl } satisfies CellSettings
})

/**
 * Cells besides `main`. `CELLS` lists their names; `CELL_<NAME>_URL` is the database of each, and `CELL_<NAME>_DIRECT_URL`
 * bypasses its pooler. `CELL_<NAME>_READ_URL` is a replica.
 */
export const cellSettings: Effect.Effect<ReadonlyArray<CellSettings>, Config.ConfigError> = Effect.flatMap(
  cellNames,
  (names) => Effect.forEach(names, readCell)
)
