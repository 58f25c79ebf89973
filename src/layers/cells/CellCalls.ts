import { type Context, Effect, Option, type Redacted, Scope, Stream } from "effect"
import { type CellName, MAIN } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { storeOfToken } from "../access/StoreTokens.ts"
import { Cells, type CellServices } from "./Cells.ts"
import { Directory } from "./Directory.ts"

/** Calls services of the cell of a store. In `main`, they are those of this layer's environment. */
export const makeCalls = Effect.gen(function* () {
  const { inCellOf, servicesOf } = yield* Cells
  const { cellOf } = yield* Directory
  const main = yield* Effect.context<CellServices>()

  const inCell = <A, E, R = never>(
    cell: CellName,
    call: (services: Context.Context<CellServices>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    cell === MAIN
      ? call(main)
      : Effect.acquireUseRelease(
          Scope.make(),
          (scope) => Effect.flatMap(Effect.provideService(servicesOf(cell), Scope.Scope, scope), call),
          (scope, exit) => Scope.close(scope, exit)
        )

  return {
    inCell,

    /** Calls the cell of a store. */
    inStore: <A, E>(store: StoreId, call: (services: Context.Context<CellServices>) => Effect.Effect<A, E>) =>
      inCellOf(store, (cell) => inCell(cell, call)),

    /** Calls the cell of the store that a token names, or `main`. */
    forToken: <A, E>(
      token: Redacted.Redacted,
      call: (services: Context.Context<CellServices>) => Effect.Effect<A, E>
    ): Effect.Effect<A, E> =>
      Option.match(storeOfToken(token), {
        onNone: () => call(main),
        onSome: (store) => inCellOf(store, (cell) => inCell(cell, call))
      }),

    /** Streams from the cell of a store. */
    streamInStore: <A, E>(
      store: StoreId,
      open: (services: Context.Context<CellServices>) => Stream.Stream<A, E>
    ): Stream.Stream<A, E> =>
      Stream.unwrap(
        inCellOf(store, (cell) => Effect.map(cell === MAIN ? Effect.succeed(main) : servicesOf(cell), open))
      ),

    /** Groups values by the cell of their store. */
    groupByCell: Effect.fnUntraced(function* <A>(values: ReadonlyArray<A>, storeOf: (value: A) => StoreId) {
      const groups = new Map<CellName, Array<A>>()
      for (const value of values) {
        const cell = yield* cellOf(storeOf(value))
        groups.set(cell, [...(groups.get(cell) ?? []), value])
      }
      return [...groups]
    })
  }
})
