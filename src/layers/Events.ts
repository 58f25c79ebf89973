import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { actorType, Events, originInstallationId, payloadOf } from "../domain/Events.ts"
import { atCommit } from "./Transaction.ts"

/** The outbox: an event is a row of the same transaction as the write it tells of. */
export const EventsLive = Layer.effect(
  Events,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return Events.of({
      record: (event) =>
        atCommit(sql`
          insert into events (
            store_id, id, kind, occurred_at, actor_type, origin_installation_id, resource_id, resource_version, payload
          ) values (
            ${event.actor.storeId}, ${event.id}, ${event.kind}, ${event.occurredAt}, ${actorType(event.actor)},
            ${originInstallationId(event.actor) ?? null}, ${event.resource.id}, ${event.resource.version},
            ${payloadOf(event)}
          )
        `)
    })
  })
)
