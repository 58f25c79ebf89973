import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { Buffer } from "node:buffer"
import { CellClosed, CellName, MAIN } from "../../domain/cells/Cells.ts"
import { REFRESH_DAYS } from "../../domain/oauth/Grants.ts"
import { StoreId } from "../../domain/Store.ts"
import { storeOfToken } from "../access/StoreTokens.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"

/** Maximum number of stores whose cell a process remembers. */
const REMEMBERED = 100_000

/** Time after which a process asks for the cell of a store again. A cell that a store left answers that it moved before that. */
export const DirectoryLifetime = Context.Reference("layers/cells/DirectoryLifetime", {
  defaultValue: () => Duration.minutes(1)
})

/** Form of the tokens of earlier releases, which name no store. Others are not looked up. */
const UNNAMED = /^(?:pa_|pr_|pc_|agent_)?[\w-]{43}$/

/** Polls of the directory while a store moves: for 5 seconds, which is many times the usual pause. */
const AWAIT_MOVE = Schedule.max([Schedule.spaced("25 millis"), Schedule.recurs(200)])

const readCell = rowReader(Schema.Struct({ cell: Schema.toType(CellName) }))

const readStore = rowReader(Schema.Struct({ storeId: Schema.toType(StoreId) }))

const readStores = rowsReader(Schema.Struct({ storeId: Schema.toType(StoreId) }))

/** Finds the cell of a store. */
export class Directory extends Context.Service<Directory>()("layers/cells/Directory", {
  make: Effect.gen(function* () {
    const { sql } = yield* GlobalDatabase

    const lookUp = (store: StoreId) =>
      readCell(sql`select cell from directory where store_id = ${store}`).pipe(
        Effect.map(Option.match({ onNone: () => MAIN, onSome: ({ cell }) => cell })),
        orDefect,
        Effect.withSpan("Directory.lookUp")
      )

    const cells = yield* Cache.make({ lookup: lookUp, capacity: REMEMBERED, timeToLive: yield* DirectoryLifetime })
    /** The last answer about each store, for the time in which `main` is out of reach. */
    const last = yield* Cache.make({ lookup: lookUp, capacity: REMEMBERED })

    /** Stores of tokens that do not name them. A token never changes its store. Unknown ones may be found later. */
    const tokens = yield* Cache.makeWith(
      (hash: string) =>
        readStore(
          sql`select store_id as "storeId" from token_stores where token_hash = ${Buffer.from(hash, "base64url")}`
        ).pipe(Effect.map(Option.map(({ storeId }) => storeId)), orDefect, Effect.withSpan("Directory.lookUpToken")),
      {
        capacity: REMEMBERED,
        timeToLive: (found) => (Exit.isSuccess(found) && Option.isSome(found.value) ? Duration.infinity : Duration.zero)
      }
    )

    return {
      /**
       * Finds the store of a token: the one that it names, or for a token of an earlier release, the one with which it left
       * `main`. None if the token is unknown, or its store never left.
       */
      storeOfToken: (token: Redacted.Redacted): Effect.Effect<Option.Option<StoreId>> => {
        const named = storeOfToken(token)
        return Option.isSome(named) || !UNNAMED.test(Redacted.value(token))
          ? Effect.succeed(named)
          : Cache.get(tokens, sha256(token).toString("base64url"))
      },

      /** Records the store of the tokens for which a token without a store was exchanged. */
      nameTokens: Effect.fn("Directory.nameTokens")(function* (
        exchanged: Redacted.Redacted,
        issued: ReadonlyArray<Redacted.Redacted>
      ) {
        if (Option.isSome(storeOfToken(exchanged))) return
        yield* sql`
          insert into token_stores (token_hash, store_id, expires_at)
          select successor, t.store_id, clock_timestamp() + interval '${constant(REFRESH_DAYS)} days'
          from token_stores t, unnest(${issued.map(sha256)}::bytea[]) as successor
          where t.token_hash = ${sha256(exchanged)} on conflict do nothing
        `
      }, orDefect),

      /** Returns the cell of a store, from the memory of the process if it is there, or if `main` is out of reach. */
      cellOf: (store: StoreId): Effect.Effect<CellName> =>
        Cache.get(cells, store).pipe(
          Effect.tap((cell) => Cache.set(last, store, cell)),
          Effect.catchDefect((defect) =>
            Effect.flatMap(
              Cache.getOption(last, store),
              Option.match({ onNone: () => Effect.die(defect), onSome: Effect.succeed })
            )
          )
        ),

      /** Waits until the store is in another cell than `left`, and returns that cell, or `left` after 5 seconds. */
      awaitMove: Effect.fn("Directory.awaitMove")((store: StoreId, left: CellName) =>
        Effect.repeat(Cache.refresh(cells, store), { while: (cell) => cell === left, schedule: AWAIT_MOVE }).pipe(
          Effect.andThen(Cache.get(cells, store))
        )
      ),

      /** Fails unless stores may be created in a cell. */
      requireOpen: Effect.fn("Directory.requireOpen")(function* (cell: CellName) {
        const open = yield* sql`select 1 from cells where name = ${cell} and is_open`
        if (open.length === 0) yield* new CellClosed({ cell })
      }, orDefect),

      /** Records the cell of a new store. */
      assign: Effect.fn("Directory.assign")(function* (store: StoreId, cell: CellName) {
        yield* sql`insert into directory (store_id, cell) values (${store}, ${cell})`
        yield* Cache.set(cells, store, cell)
      }, orDefect),

      /** Lists the stores outside of `main` of which an account may be a member. */
      storesOf: Effect.fn("Directory.storesOf")(
        (merchant: string) =>
          Effect.map(
            readStores(sql`select store_id as "storeId" from merchant_stores where merchant_id = ${merchant}`),
            (rows) => rows.map(({ storeId }) => storeId)
          ),
        orDefect
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
