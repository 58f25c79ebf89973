import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { actorType } from "../../domain/Events.ts"
import { type JournalDiff, makeJournalDiff } from "../../domain/journal/Entry.ts"
import { Journal } from "../../domain/journal/Journal.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { millisOf } from "../../domain/Uuid.ts"
import type { Change, WriteContext } from "../../domain/Write.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant, type Statement } from "../sql/Statement.ts"
import { type Columns, rowList } from "../sql/RowList.ts"

/** Milliseconds of entries in one partition of the journal: 30 days. */
export const PARTITION_MILLIS = 30 * 24 * 3_600_000

/** Each part is used again after 480 days, so it must be emptied within 50 days of its last expiry. */
const PARTS = Array.from({ length: 16 }, (_, part) => part)

/** Returns the part of the entries of this millisecond. */
export const partAt = (millis: number): number => Math.floor(millis / PARTITION_MILLIS) % PARTS.length

/** Returns the part that contains the entry with this id. */
export const partOf = (id: string) => partAt(millisOf(id))

const omittedOf = ({ omitted }: JournalDiff) => `{${omitted.map((name) => JSON.stringify(name)).join(",")}}`

const COLUMNS: Columns<Change & { readonly diff: JournalDiff }> = {
  id: ["uuid", ({ id }) => id],
  part: ["smallint", ({ id }) => partOf(id)],
  at: ["timestamptz", ({ at }) => at.toISOString()],
  resource: ["text", ({ resource }) => resource],
  resource_id: ["uuid", ({ resourceId }) => resourceId],
  version: ["integer", ({ version }) => version],
  before: ["lines", ({ diff }) => diff.before],
  after: ["lines", ({ diff }) => diff.after],
  omitted: ["lines", ({ diff }) => omittedOf(diff)],
  reason: ["text", ({ reason }) => reason],
  undoes: ["lines", ({ undoes }) => undoes ?? null],
  memberships: ["lines", ({ memberships }) => memberships ?? null],
  external_id: ["text", ({ externalId }) => externalId ?? null]
}

/** Journal entries: author, resource, surface and key of each change, and its diff. */
export class JournalEntries extends Context.Service<JournalEntries>()("layers/journal/JournalEntries", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Makes the statement that inserts the entries of changes. */
      insertStatement: (
        { actor, approvedBy, changeSetId, requestId, storeId, surface }: WriteContext,
        hops: number,
        key: string | null,
        changes: ReadonlyArray<Change>
      ): Statement => {
        const entries = changes.map((change) => ({ ...change, diff: makeJournalDiff(change) }))
        return sql`
          insert into journal (
            store_id, id, part, at, actor_type, actor_id, surface, idempotency_key, hops, resource, resource_id, version,
            before, after, omitted, reason, request_id, approved_by, undoes, memberships, external_id, change_set_id
          )
          select ${storeId}, id, part, at, ${actorType(actor)}, ${actor.id}, ${surface}, ${key}, ${hops}, resource,
            resource_id, version, before, after, omitted::text[], reason, ${requestId ?? null}, ${approvedBy ?? null},
            undoes::uuid, memberships, external_id, ${changeSetId ?? null}::uuid
          from ${rowList("entry", entries, COLUMNS)}
        `
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const readParts = rowsReader(Schema.Struct({ part: Schema.Int }))

/** Empties parts of the journal whose entries have all expired. */
export const JournalLive = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { journalDays } = yield* OperatorLimits

    /** Finds the parts whose newest entry has expired. Empty parts have none. */
    const findExpired = (parts: ReadonlyArray<number>) =>
      readParts(sql`
        select part from unnest(${parts}::smallint[]) as candidate (part)
        where (select max(at) from journal j where j.part = candidate.part)
          < now() - interval '${constant(journalDays)} days'
      `)

    /** Checks again under the lock: another process may have emptied the part, and new entries may be in it since. */
    const empty = Effect.fnUntraced(function* (part: number) {
      yield* sql`set local lock_timeout = '2s'`
      yield* sql`lock table ${sql(`journal_${part}`)} in access exclusive mode`
      const expired = yield* findExpired([part])
      if (expired.length > 0) yield* sql`truncate ${sql(`journal_${part}`)}`
      return expired.length
    }, sql.withTransaction)

    return Journal.of({
      purge: Effect.gen(function* () {
        const expired = yield* findExpired(PARTS)
        const emptied = yield* Effect.forEach(expired, ({ part }) => empty(part))
        return emptied.reduce((sum, parts) => sum + parts, 0)
      }).pipe(orDefect, Effect.withSpan("Journal.purge"))
    })
  })
)
