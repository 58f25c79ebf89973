import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { Role } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { StoreMoved } from "../../domain/cells/Cells.ts"
import { isElsewhere } from "../storeMove/Moving.ts"
import { StoreId } from "../../domain/Store.ts"
import { KNOWN_ROLES } from "../access/Merchants.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"

/** Membership of an account in a store, as a long connection needs it. */
export interface StoreMember {
  readonly merchantId: MerchantId
  readonly storeId: StoreId
}

const readRoles = rowsReader(
  Schema.Struct({
    place: Schema.Int,
    storeId: Schema.toType(StoreId),
    role: Schema.NullOr(Role),
    isMoved: Schema.Boolean
  })
)

/** Roles of accounts in the stores of one cell. Sessions are global, so a cell reads only the roles. */
export class MemberRoles extends Context.Service<MemberRoles>()("layers/cells/MemberRoles", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const read = (members: ReadonlyArray<StoreMember>) =>
      readRoles(sql`
        select member.place::integer, s.id as "storeId", s.moved_at is not null or ${isElsewhere("s.id")} as "isMoved", (
          select m.role from members m
          where m.store_id = s.id and m.merchant_id = member.merchant_id and m.role in (${sql.literal(KNOWN_ROLES)})
        ) as role
        from unnest(
          ${plainArray(members.map(({ storeId }) => storeId))}::uuid[],
          ${plainArray(members.map(({ merchantId }) => merchantId))}::uuid[]
        ) with ordinality as member (store_id, merchant_id, place)
        join stores s on s.id = member.store_id and s.deleted_at is null
      `).pipe(orDefect)

    return {
      /** Returns the roles of an account in stores. Stores of which it is not a member have none. */
      rolesOf: Effect.fn("MemberRoles.rolesOf")(function* (merchantId: MerchantId, stores: ReadonlyArray<StoreId>) {
        const rows = yield* read(stores.map((storeId) => ({ merchantId, storeId })))
        if (rows.some(({ isMoved }) => isMoved)) return yield* Effect.die(new StoreMoved())
        return Object.fromEntries(
          rows.flatMap(({ role, storeId }) => (role === null ? [] : [[storeId, role] as const]))
        )
      }),

      /** Returns the indexes of members who lost their role, or whose store moved. */
      lost: Effect.fn("MemberRoles.lost")(function* (members: ReadonlyArray<StoreMember>) {
        const kept = new Set(
          (yield* read(members)).flatMap(({ isMoved, place, role }) => (role === null || isMoved ? [] : [place]))
        )
        return members.flatMap((_, index) => (kept.has(index + 1) ? [] : [index]))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Sessions of the global database, with the roles that the cells of the stores know. */
export const sessionsWithRoles = (
  sessions: typeof Sessions.Service,
  { lost, rolesOf }: Pick<typeof MemberRoles.Service, "lost" | "rolesOf">
) => {
  const addRoles = <A extends { readonly merchantId: MerchantId }>(session: A, stores: ReadonlyArray<StoreId>) =>
    Effect.map(rolesOf(session.merchantId, stores), (roles) => ({ ...session, roles }))
  return Sessions.of({
    ...sessions,
    find: (token, stores) => Effect.flatMap(sessions.find(token, []), (session) => addRoles(session, stores)),
    admit: (token, stores, calls) =>
      Effect.flatMap(sessions.admit(token, [], calls), (admitted) => addRoles(admitted, stores)),
    ended: Effect.fnUntraced(function* (connections) {
      const members = connections.flatMap(({ merchantId, stores }, index) =>
        stores.map((storeId) => ({ merchantId, storeId, index }))
      )
      const ended = yield* sessions.ended(connections.map((connection) => ({ ...connection, stores: [] })))
      const left = (yield* lost(members)).flatMap((index) => members[index]?.index ?? [])
      return [...new Set([...ended, ...left])]
    })
  })
}
