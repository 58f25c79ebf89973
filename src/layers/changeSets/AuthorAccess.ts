import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../../domain/access/Scope.ts"
import { IMPORTER } from "../../domain/Actor.ts"
import { findMissingScopes } from "../../domain/changeSets/ChangeSets.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/** Finds scopes that a set needs, of which none is granted. */
export const missingScopesOf = ({ scopes }: StoredChangeSet, granted: ReadonlyArray<string>) =>
  findMissingScopes(
    scopes.map((group) => group.split("|")),
    granted
  )

const readGranted = rowReader(Schema.Struct({ scopes: Schema.Array(Schema.String) }))

/** Makes the function that tests whether the author of a set no longer has the access that it needs. */
export const authorAccess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Scopes that the author of a set has now; none if it has lost its access to the store. */
  const findGranted = ({ actorId, actorType }: StoredChangeSet, storeId: StoreId) => {
    if (actorId === IMPORTER) return Effect.succeed(Option.some({ scopes: Scope.literals }))
    switch (actorType) {
      case "app":
        return readGranted(sql`
          select scopes from installations where store_id = ${storeId} and id = ${actorId} and is_active
        `)
      case "agent":
        return readGranted(sql`
          select scopes from agents where store_id = ${storeId} and id = ${actorId} and revoked_at is null
        `)
      case "merchant":
        return readGranted(sql`
          select ${[...Scope.literals]}::text[] as scopes from members where store_id = ${storeId} and merchant_id = ${actorId}
        `)
    }
  }

  return Effect.fnUntraced(function* (set: StoredChangeSet, storeId: StoreId) {
    const granted = yield* findGranted(set, storeId)
    return Option.isNone(granted) || missingScopesOf(set, granted.value.scopes) !== undefined
  }, orDefect)
})
