import { Context, Effect, Layer, Option } from "effect"
import type { InstallationId } from "../domain/access/Ids.ts"
import { Installations } from "../domain/access/Installations.ts"
import { type CellName, MAIN } from "../domain/cells/Cells.ts"
import type { StoreId } from "../domain/Store.ts"
import { unavailableIn } from "../domain/Unavailable.ts"
import { AccessLive } from "../layers/access/Access.ts"
import { BillingLive } from "../layers/billing/Billing.ts"
import { BulkheadLive } from "../layers/Bulkhead.ts"
import { CatalogLive } from "../layers/catalog/Catalog.ts"
import { Cells, type CellServices, InstallationLive } from "../layers/cells/Cells.ts"
import { cellSettings } from "../layers/cells/CellSettings.ts"
import { Directory } from "../layers/cells/Directory.ts"
import { ChangeSetsLive } from "../layers/changeSets/ChangeSets.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { RepositoriesLive } from "../layers/Domain.ts"
import { ExportsLive } from "../layers/exports/Exports.ts"
import { LimitsLive } from "../layers/LimitSettings.ts"
import { ImportFilesLive } from "../layers/imports/ImportFiles.ts"
import { ImportsLive } from "../layers/imports/Imports.ts"
import { CustomersLive } from "../layers/records/Customers.ts"
import { OrdersLive } from "../layers/records/Orders.ts"
import { WebhooksLive } from "../layers/webhooks/Webhooks.ts"
import { WritesLive } from "../layers/Writes.ts"
import { type Listed, OtherCells } from "./CellLists.ts"

/** Services of all commands, on `DATABASE_URL` or on the embedded database. */
const ServicesLive = Layer.mergeAll(
  AccessLive,
  BillingLive,
  ChangeSetsLive,
  ExportsLive,
  Layer.provide(ImportsLive, Layer.mergeAll(CatalogLive, CustomersLive, OrdersLive)),
  Layer.provide(ImportFilesLive, Layer.mergeAll(AccessLive, BulkheadLive, ChangeSetsLive, WritesLive)),
  WebhooksLive,
  WritesLive,
  Layer.succeed(OtherCells, { list: () => Effect.succeed({ found: [], missing: [] }) })
).pipe(Layer.provide(RepositoriesLive), Layer.provide(LimitsLive), Layer.provideMerge(DatabaseLive))

/** Subject of a command, by which its cell is found. */
export interface Subject {
  readonly cell?: CellName | undefined
  readonly store?: StoreId | undefined
  readonly installation?: InstallationId | undefined
}

/** Finds the cell of an installation. Its id does not name its store. */
const cellOfInstallation = Effect.fnUntraced(function* (id: InstallationId) {
  const { names, servicesOf } = yield* Cells
  for (const cell of names) {
    const { find } = Context.get(yield* servicesOf(cell), Installations)
    if (Option.isSome(yield* Effect.option(find(id)))) return cell
  }
  return MAIN
})

const cellOf = Effect.fnUntraced(function* ({ cell, installation, store }: Subject) {
  const directory = yield* Directory
  if (cell !== undefined) return cell
  if (store !== undefined) return yield* directory.cellOf(store)
  return installation === undefined ? MAIN : yield* cellOfInstallation(installation)
})

/** Cells that are asked for their rows at once. */
const CONCURRENCY = 8

const otherCells = Effect.map(Cells, ({ names, servicesOf }) =>
  OtherCells.of({
    list: Effect.fnUntraced(function* <A, E>(rows: Effect.Effect<ReadonlyArray<A>, E, Listed>) {
      const answers = yield* Effect.forEach(
        names,
        (cell) =>
          Effect.flatMap(servicesOf(cell), (services) => Effect.provideContext(rows, services)).pipe(
            Effect.map((found) => ({ cell, rows: Option.some(found) })),
            Effect.catchCauseIf(
              (cause) => unavailableIn(cause) !== undefined,
              () => Effect.succeed({ cell, rows: Option.none() })
            ),
            Effect.scoped
          ),
        { concurrency: CONCURRENCY }
      )
      return {
        found: answers.flatMap(({ cell, rows }) => (Option.isSome(rows) ? [{ cell, rows: rows.value }] : [])),
        missing: answers.flatMap(({ cell, rows }) => (Option.isNone(rows) ? [cell] : []))
      }
    })
  })
)

/** Services in the cell of the subject. */
const ServicesInCell = (subject: Subject) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const main = yield* Effect.context<CellServices>()
      const { servicesOf } = yield* Cells
      const cell = yield* cellOf(subject)
      return Context.add(cell === MAIN ? main : yield* servicesOf(cell), OtherCells, yield* otherCells)
    })
  ).pipe(Layer.provide(InstallationLive), Layer.provide(DatabaseLive))

/** Services of a command: on one database, or in the cell of its subject. */
export const servicesOf = (subject: Subject) =>
  Layer.unwrap(
    Effect.map(
      cellSettings,
      (cells): Layer.Layer<Layer.Success<typeof ServicesLive>, Layer.Error<typeof ServicesLive>> =>
        cells.length === 0 ? ServicesLive : ServicesInCell(subject)
    )
  )
