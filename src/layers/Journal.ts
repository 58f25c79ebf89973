import { Effect, Layer, Schema } from "effect"
import { actorType } from "../domain/Events.ts"
import { type JournalDiff, makeJournalDiff } from "../domain/journal/Entry.ts"
import { ENTRY_DAYS, Journal } from "../domain/journal/Journal.ts"
import { millisOf } from "../domain/Uuid.ts"
import type { Change, WriteContext } from "../domain/Write.ts"
import { Database } from "./sql/Postgres.ts"
import { constant, sql, type Statement } from "./sql/Statement.ts"
import { arrayOf, linesOf, listOf, NONE } from "./Lists.ts"

/** Milliseconds of the entries that one part of the journal holds: thirty days. */
export const PART = 30 * 24 * 3_600_000

/** Each part is used again after 480 days, which leaves 50 of them to empty it in. */
const PARTS = Array.from({ length: 16 }, (_, part) => part)

/** The part of the entries that were made in this millisecond. */
export const partAt = (millis: number): number => Math.floor(millis / PART) % PARTS.length

/** Which part of the journal holds the entry with this id. */
export const partOf = (id: string) => partAt(millisOf(id))

const omittedOf = ({ omitted }: JournalDiff) => `{${omitted.map((name) => JSON.stringify(name)).join(",")}}`

/** What the journal keeps of a change: who did what to which resource, through which surface, under which key. */
const entryOf = (context: WriteContext, hops: number, key: string | null, change: Change): Statement => {
  const { actor, approvedBy, requestId, storeId, surface } = context
  const { at, externalId = null, id, memberships = null, reason, resource, resourceId, undoes = null, version } = change
  const kept = makeJournalDiff(change)
  return sql`
    insert into journal (
      store_id, id, part, at, actor_type, actor_id, surface, idempotency_key, hops, resource, resource_id, version,
      before, after, omitted, reason, request_id, approved_by, undoes, memberships, external_id
    ) values (
      ${storeId}, ${id}, ${partOf(id)}, ${at}, ${actorType(actor)}, ${actor.id}, ${surface}, ${key}, ${hops},
      ${resource}, ${resourceId}, ${version}, ${kept.before}, ${kept.after}, ${omittedOf(kept)}, ${reason},
      ${requestId ?? null}, ${approvedBy ?? null}, ${undoes}, ${memberships}, ${externalId}
    )
  `
}

/** The same of many changes of one write, to resources of one kind. */
const manyOf = (
  { actor, approvedBy, requestId, storeId, surface }: WriteContext,
  hops: number,
  key: string | null,
  resource: Change["resource"],
  changes: ReadonlyArray<Change>
): Statement => {
  const kept = changes.map(makeJournalDiff)
  return sql`
    insert into journal (
      store_id, id, part, at, actor_type, actor_id, surface, idempotency_key, hops, resource, resource_id, version,
      before, after, omitted, request_id, approved_by, undoes, memberships, external_id
    )
    select ${storeId}, id, part, at, ${actorType(actor)}, ${actor.id}, ${surface}, ${key}, ${hops}, ${resource},
      resource_id, version, before, after, omitted::text[], ${requestId ?? null}, ${approvedBy ?? null}, undoes::uuid,
      memberships, external_id
    from unnest(
      ${listOf(changes.map(({ id }) => id))}::uuid[],
      ${listOf(changes.map(({ id }) => partOf(id)))}::smallint[],
      ${listOf(changes.map(({ at }) => at.toISOString()))}::timestamptz[],
      ${listOf(changes.map(({ resourceId }) => resourceId))}::uuid[],
      ${listOf(changes.map(({ version }) => version ?? NONE))}::integer[],
      string_to_array(${linesOf(kept.map(({ before }) => before ?? ""))}, E'\\n', ''),
      string_to_array(${linesOf(kept.map(({ after }) => after ?? ""))}, E'\\n', ''),
      string_to_array(${linesOf(kept.map(omittedOf))}, E'\\n', ''),
      string_to_array(${linesOf(changes.map(({ undoes }) => undoes ?? ""))}, E'\\n', ''),
      string_to_array(${linesOf(changes.map(({ memberships }) => memberships ?? ""))}, E'\\n', ''),
      ${arrayOf(changes.map(({ externalId }) => externalId ?? null))}::text[]
    ) as given (id, part, at, resource_id, version, before, after, omitted, undoes, memberships, external_id)
  `
}

/**
 * Entries of what one write changed. One of them has a statement without a list, which takes the database 20 µs less
 * (docs/performance.md, Import).
 */
export const entriesOf = (
  context: WriteContext,
  hops: number,
  key: string | null,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Statement> => {
  const [first, ...others] = changes
  if (first === undefined) return []
  return [
    others.length === 0 ? entryOf(context, hops, key, first) : manyOf(context, hops, key, first.resource, changes)
  ]
}

/** Of these parts the ones whose newest entry has ended. An empty one has none. */
const selectEnded = (parts: ReadonlyArray<number>) => sql`
  select part from unnest(${parts}::smallint[]) as ended (part)
  where (select max(at) from journal j where j.part = ended.part) < now() - interval '${constant(ENTRY_DAYS)} days'
`

const limitWait = sql`set local lock_timeout = '2s'`

export const JournalLive = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const { count, rows, transaction } = yield* Database
    const endedOf = rows(Schema.Struct({ part: Schema.Int }))

    /** Another process may have been first, and a part that was empty too long is one that is written to. */
    const empty = (part: number) =>
      transaction(
        Effect.gen(function* () {
          yield* count(limitWait)
          yield* count(sql`lock table ${sql(`journal_${part}`)} in access exclusive mode`)
          const ended = yield* endedOf(selectEnded([part]))
          if (ended.length > 0) yield* count(sql`truncate ${sql(`journal_${part}`)}`)
          return ended.length
        })
      )

    return Journal.of({
      purge: Effect.gen(function* () {
        const ended = yield* endedOf(selectEnded(PARTS))
        const emptied = yield* Effect.forEach(ended, ({ part }) => empty(part))
        return emptied.reduce((sum, parts) => sum + parts, 0)
      })
    })
  })
)
