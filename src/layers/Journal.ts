import { actorType } from "../domain/Events.ts"
import type { Change, WriteContext } from "../domain/Write.ts"
import { type Statement, statement } from "./database/Statement.ts"

const insertEntry = statement(`
  insert into journal (
    store_id, id, at, actor_type, actor_id, surface, idempotency_key, hops, resource, resource_id, version, before, after
  ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
`)

/** What the journal keeps of a change: who did what to which resource, through which surface, under which key. */
export const entryOf = (context: WriteContext, hops: number, key: string | null, change: Change): Statement => {
  const { actor, storeId, surface } = context
  const { after, at, before, id, resource, resourceId, version } = change
  return insertEntry(
    storeId,
    id,
    at,
    actorType(actor),
    actor.id,
    surface,
    key,
    hops,
    resource,
    resourceId,
    version,
    before,
    after
  )
}
