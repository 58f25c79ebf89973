import { type Context, Effect, Option, type Redacted, Scope, Stream } from "effect"
import { type CellName, MAIN } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Cells, type CellServices } from "./Cells.ts"
import { Directory } from "./Directory.ts"

/** Calls services of the cell of a store. In `main`, they are those of this layer's environment. */
export const makeCalls = Effect.gen(function* () {
  const { inCellOf, servicesOf } = yield* Cells
  const { cellOf, storeOfToken } = yield* Directory
  const main = yield* Effect.context<CellServices>()

  const inCell = <A, E>(
    cell: CellName,
    call: (services: Context.Context<CellServices>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
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

    /** Calls the cell of the store of a token, or `main`. */
    forToken: <A, E>(
      token: Redacted.Redacted,
      call: (services: Context.Context<CellServices>) => Effect.Effect<A, E>
    ): Effect.Effect<A, E> =>
      Effect.flatMap(
        storeOfToken(token),
        Option.match({
          onNone: () => call(main),
          onSome: (store) => inCellOf(store, (cell) => inCell(cell, call))
        })
      ),

    /** Streams from the cell of a store. */
    streamInStore: <A, E>(
      store: StoreId,
      open: (services: Context.Context<CellServices>) => Stream.Stream<A, E>
    ): Stream.Stream<A, E> =>
      Stream.unwrap(
        inCellOf(store, (cell) => Effect.map(cell === MAIN ? Effect.succeed(main) : servicesOf(cell), open))
      ),

    /** Asks the cell of each value for the indexes of some of its values. Returns their indexes among all values. */
    findIndexes: Effect.fnUntraced(function* <A extends { readonly storeId: StoreId }>(
      values: ReadonlyArray<A>,
      find: (services: Context.Context<CellServices>, values: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<number>>
    ) {
      const groups = new Map<CellName, Array<number>>()
      for (const [index, { storeId }] of values.entries()) {
        const cell = yield* cellOf(storeId)
        groups.set(cell, [...(groups.get(cell) ?? []), index])
      }
      const found = yield* Effect.forEach(groups, ([cell, indexes]) =>
        Effect.map(
          inCell(cell, (services) =>
            find(
              services,
              indexes.flatMap((index) => values[index] ?? [])
            )
          ),
          (positions) => positions.flatMap((position) => indexes[position] ?? [])
        )
      )
      return found.flat()
    })
  }
})
