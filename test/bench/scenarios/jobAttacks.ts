import { Effect } from "effect"
import { changeSetRuns } from "../load/changeSets.ts"
import { idOf, LARGE_STORE } from "../seed/population.ts"
import { range } from "./attackRequests.ts"
import type { Attack, Target } from "./attacks.ts"
import { runCli, runImport, writeImportFile } from "./imports.ts"

/** Rows of the imported file. */
const ROWS = 50_000

/** Stores of the imports: those from this number on. */
const FIRST_IMPORTED = 900

const inSeconds = ({ seconds }: { readonly seconds: number }) => `it took ${seconds.toFixed(1)} s`

/** Makes the long work of one store: a change set, an import and an export. */
export const makeJobAttacks = (target: Target, operations: number) =>
  Effect.gen(function* () {
    const { url } = target
    const sets = yield* changeSetRuns(target)
    const file = yield* writeImportFile(ROWS)
    let round = 0
    const attacks: ReadonlyArray<Attack> = [
      {
        title: `a change set of ${operations.toLocaleString("en")} prices`,
        run: Effect.suspend(() => {
          const price = ++round
          const changes = range(operations).map((n) => ({
            op: "product.update",
            id: idOf("product", LARGE_STORE.store, n),
            patch: { price: price + n / 100 }
          }))
          return Effect.map(
            sets.run(changes),
            ({ applied, counts, previewed }) =>
              `previewed in ${previewed.toFixed(1)} s, applied in ${applied.toFixed(1)} s, ${counts.refused} refused`
          )
        })
      },
      {
        title: `an import of ${ROWS.toLocaleString("en")} products`,
        run: Effect.suspend(() => Effect.map(runImport(url, FIRST_IMPORTED + ++round, file), inSeconds))
      },
      {
        title: "an export of 100,000 products",
        run: Effect.map(runCli(url, ["export", "products", "--store", idOf("store", 0, LARGE_STORE.store)]), inSeconds)
      }
    ]
    return attacks
  })
