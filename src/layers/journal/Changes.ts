import { Chunk, Deferred, Effect, Layer, Schema, Stream, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { EventId } from "../../domain/Events.ts"
import { Changed, Changes, Following, type ChangeStreamItem } from "../../domain/journal/Changes.ts"
import type { CatalogKind } from "../../domain/journal/Kinds.ts"
import type { StoreId } from "../../domain/Store.ts"
import { millisOf } from "../../domain/Uuid.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { FollowedStores, partsOf } from "./FollowedStores.ts"

/** Maximum number of entries in one read. */
const PAGE = 100

const { actor, id, resourceId, ...entryFields } = Struct.omit(Changed.fields, ["_tag", "occurredAt"])

const Row = Schema.Struct({
  ...entryFields,
  surface: Schema.String,
  id: Schema.toType(id),
  resourceId: Schema.toType(resourceId),
  occurredAt: Schema.Date,
  actorType: Schema.String,
  actorId: Schema.String
})

const Entry = Schema.Struct({ ...Row.fields, surface: entryFields.surface, actorType: actor.fields.type })

/** Drops entries of surfaces and actors that only a newer release knows. */
const isKnown = Schema.is(Entry)

const toChange = ({ actorId, actorType, occurredAt, ...entry }: typeof Entry.Type): Changed => ({
  _tag: "Changed",
  ...entry,
  occurredAt: occurredAt.toISOString(),
  actor: { type: actorType, id: actorId }
})

const readRows = rowsReader(Row)

export const ChangesLive = Layer.effect(
  Changes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { findHorizon, follow: enter } = yield* FollowedStores

    const listChanges = (storeId: StoreId, after: string, before: string, resources: string) => {
      const parts = partsOf(millisOf(after), millisOf(before))
      return readRows(sql`
        select
          id, at as "occurredAt", actor_type as "actorType", actor_id as "actorId", surface, resource,
          resource_id as "resourceId", version,
          case when before is null then 'created' when after is null then 'deleted' else 'updated' end as kind,
          case when before is null or after is null then '{}' else array(
            select json_object_keys(before::json) union select json_object_keys(after::json) union select unnest(omitted)
            order by 1
          ) end as members
        from entries_after(${storeId}, ${after}, ${before}, ${parts}, ${resources}, ${constant(PAGE)})
      `)
    }

    const follow = Effect.fn("Changes.follow")(function* (
      storeId: StoreId,
      after: EventId | undefined,
      resources: ReadonlyArray<CatalogKind>
    ) {
      const horizon = yield* findHorizon(storeId, after)
      const followed = yield* enter(storeId, horizon)
      const start = after ?? EventId.make(horizon, { disableChecks: true })
      let last: string = start

      /** Returns the next page of changes. Waits while there are none. */
      const next: Effect.Effect<Chunk.Chunk<ChangeStreamItem>> = Effect.suspend(() => {
        const { advanced, horizon } = followed
        if (last >= horizon) return Effect.andThen(Deferred.await(advanced), next)
        return Effect.flatMap(orDefect(listChanges(storeId, last, horizon, plainArray(resources))), (entries) => {
          last = (entries.length < PAGE ? undefined : entries.at(-1)?.id) ?? horizon
          const known = entries.filter(isKnown)
          return known.length === 0 ? next : Effect.succeed(Chunk.fromArrayUnsafe(known.map(toChange)))
        })
      })

      return Stream.concat(
        Stream.succeed<ChangeStreamItem>(Following.make({ after: start })),
        Stream.fromIterableEffectRepeat(next)
      )
    })

    return Changes.of({ follow: (...request) => Stream.unwrap(follow(...request)) })
  })
)
