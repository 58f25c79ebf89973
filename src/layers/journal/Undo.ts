import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { EntryId, EntryNotFound } from "../../domain/journal/Activity.ts"
import { CatalogKind, SCOPES } from "../../domain/journal/Kinds.ts"
import { type ChangeFootprint, findUndoConflicts } from "../../domain/journal/UndoConflicts.ts"
import {
  ChangedSince,
  EntryNotOwn,
  MAX_SINCE,
  MAX_UNDONE,
  OldValuesUnavailable,
  NotUndoable,
  TooMuchToUndo,
  Undo,
  type UndoRefused,
  type UndoResult,
  type UndoRight
} from "../../domain/journal/Undo.ts"
import { StoreId } from "../../domain/Store.ts"
import { leastUuidOf, millisOf } from "../../domain/Uuid.ts"
import type { Change, Write } from "../../domain/Write.ts"
import { lockStore } from "../catalog/Allocation.ts"
import { partOf } from "./Journal.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { withoutDeferral } from "../sql/Transaction.ts"
import { collectChanges, recordAll } from "../Writes.ts"
import { AdministeredRow, JournalRow } from "./JournalRow.ts"
import { makeUndoCollection } from "./UndoCollections.ts"
import { makeUndoProduct } from "./UndoProducts.ts"

const toEntryId = Schema.decodeSync(EntryId)

/**
 * Maximum milliseconds between the clock of the database and that of a store. Ids of entries are made from both.
 */
const MAX_CLOCK_SKEW = 3_600_000

const resourceIdsOf = (entries: ReadonlyArray<JournalRow>, resource: CatalogKind) =>
  entries.filter((entry) => entry.resource === resource).map(({ resourceId }) => resourceId)

const earliestId = ({ id }: JournalRow) => leastUuidOf(new Date(millisOf(id) - MAX_CLOCK_SKEW))

/** Returns the entry with the lowest version of each resource. */
const firstOfEachResource = (entries: ReadonlyArray<JournalRow>): ReadonlyArray<JournalRow> => {
  const firsts = new Map<string, JournalRow>()
  for (const entry of entries) {
    const known = firsts.get(entry.resourceId)
    if (known === undefined || entry.version < known.version) firsts.set(entry.resourceId, entry)
  }
  return [...firsts.values()]
}

/** Returns the members whose old values the undo needs and the journal does not contain. */
const missingMembersOf = ({ after, before, memberships, omitted, resource }: JournalRow): ReadonlyArray<string> => {
  if (before === null) return []
  const isUnplaced = resource === "product" && after === null && memberships === null
  return isUnplaced ? [...omitted, "the collections that held it"] : omitted
}

const leastIdAt = (time: string) => leastUuidOf(new Date(time))

export const UndoLive = Layer.effect(
  Undo,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const undoProduct = makeUndoProduct(sql)
    const undoCollection = makeUndoCollection(sql)

    const columns = sql.literal(`
      id, resource, resource_id as "resourceId", version, actor_id as "actorId", before, after, omitted, memberships,
      external_id as "externalId"
    `)

    const findEntries = SqlSchema.findAll({
      Request: Schema.Struct({ storeId: StoreId, id: EntryId }),
      Result: Schema.Union([JournalRow, AdministeredRow]),
      execute: ({ id, storeId }) => sql`
        select ${columns} from journal where store_id = ${storeId} and id = ${id} and part = ${partOf(id)}
      `
    })

    const decodeRows = Schema.decodeUnknownEffect(Schema.Array(JournalRow))

    /** Selects the changes of products and collections by an actor, newest first. */
    const selectSpan = (storeId: StoreId, actorId: string, since: string, until: string) => sql`
      select ${columns} from journal
      where store_id = ${storeId} and actor_id = ${actorId} and id >= ${leastIdAt(since)} and id < ${leastIdAt(until)}
        and version is not null
      order by id desc limit ${MAX_UNDONE + 1}
    `

    const listHistory = SqlSchema.findAll({
      Request: Schema.Struct({
        storeId: StoreId,
        resourceIds: Schema.String,
        versions: Schema.String,
        earliestIds: Schema.String
      }),
      Result: Schema.Struct({
        id: Schema.toType(EntryId),
        resourceId: Schema.String,
        version: Schema.Int,
        isEnd: Schema.Boolean,
        members: Schema.NullOr(Schema.Array(Schema.String)),
        undoes: Schema.NullOr(Schema.toType(EntryId))
      }),
      execute: ({ earliestIds, resourceIds, storeId, versions }) => sql`
        select j.id, j.resource_id as "resourceId", j.version, j.after is null as "isEnd", j.members, j.undoes
        from unnest(${resourceIds}::uuid[], ${versions}::integer[], ${earliestIds}::uuid[])
          as wanted (resource_id, version, earliest), lateral (
          select id, resource_id, version, after, undoes, case when before is not null and after is not null then
            omitted || array(
              select json_object_keys(before::json) union select json_object_keys(after::json)
              except select unnest('{version,updatedAt}'::text[])
            )
          end as members
          from entries_of_resource(
            ${storeId}, wanted.resource_id, wanted.earliest, wanted.version, ${constant(MAX_SINCE + 1)}
          )
        ) as j
        limit ${constant(MAX_SINCE + 1)}
      `
    })

    /** Locks everything that the undo changes, in the lock order of ARCHITECTURE.md. */
    const lockAll = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const containing = entries.flatMap(({ memberships }) => memberships ?? []).map(({ collectionId }) => collectionId)
      const collections = plainArray([...resourceIdsOf(entries, "collection"), ...containing])
      yield* sql`
        select from collections where store_id = ${storeId} and id = any(${collections}::uuid[])
        order by id for no key update
      `
      yield* lockStore(sql, storeId)
      const products = plainArray(resourceIdsOf(entries, "product"))
      yield* sql`
        select from products where store_id = ${storeId} and id = any(${products}::uuid[]) order by id for update
      `
    })

    /** Lists the changes of the resources since the first of the entries, by version. */
    const findHistory = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const firsts = firstOfEachResource(entries)
      const history = yield* listHistory({
        storeId,
        resourceIds: plainArray(firsts.map(({ resourceId }) => resourceId)),
        versions: plainArray(firsts.map(({ version }) => version)),
        earliestIds: plainArray(firsts.map(earliestId))
      })
      if (history.length > MAX_SINCE) return yield* new TooMuchToUndo()
      const sorted: ReadonlyArray<ChangeFootprint> = history.toSorted(
        (a, b) => a.version - b.version || Number(a.isEnd) - Number(b.isEnd)
      )
      return sorted
    })

    /** Checks that entries can be undone and locks their resources, so that this stays true until the transaction ends. */
    const prepare = Effect.fnUntraced(function* (
      storeId: StoreId,
      entries: ReadonlyArray<JournalRow>,
      right: UndoRight
    ) {
      for (const { actorId, resource } of entries) {
        if (!right.kinds.includes(resource)) yield* new AgentScopeMissing({ scope: SCOPES[resource].write })
        if (right.ownId !== null && right.ownId !== actorId) yield* new EntryNotOwn()
      }
      yield* lockAll(storeId, entries)
      const history = yield* findHistory(storeId, entries)
      const conflicts = findUndoConflicts(new Set(entries.map(({ id }) => id)), history)
      return conflicts.overlaps.length > 0 ? yield* Effect.fail(ChangedSince.of(conflicts.overlaps)) : conflicts
    })

    /** Undoes entries, newest first, all or nothing. */
    const undoAll = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const changes: Array<Change> = []
      const undone: Array<UndoResult["undone"][number]> = []
      for (const entry of entries) {
        const { id, resource, resourceId } = entry
        const members = missingMembersOf(entry)
        if (members.length > 0) yield* new OldValuesUnavailable({ id, members })
        const undo: Write<void, UndoRefused> =
          resource === "product" ? undoProduct(storeId, entry) : undoCollection(storeId, entry)
        // Sent at once, because the next undo may read the same resource.
        const { changes: recorded } = yield* withoutDeferral(collectChanges(undo))
        changes.push(...recorded.map((change) => ({ ...change, undoes: id })))
        const [change] = recorded
        undone.push({
          undoes: id,
          id: change === undefined ? null : toEntryId(change.id),
          resource,
          resourceId,
          version: change === undefined || change.after === null ? null : change.version
        })
      }
      for (const kind of CatalogKind.literals) yield* recordAll(changes.filter(({ resource }) => resource === kind))
      return { undone }
    })

    return Undo.of({
      undo: Effect.fnUntraced(function* (storeId, id, right) {
        const [entry] = yield* findEntries({ storeId, id })
        if (entry === undefined) return yield* new EntryNotFound({ id })
        if (!("version" in entry)) {
          return yield* Effect.fail(right.ownId === null ? new NotUndoable({ id, ...entry }) : new EntryNotOwn())
        }
        const { undoneBy } = yield* prepare(storeId, [entry], right)
        const undo = undoneBy.get(id)
        if (undo !== undefined) return yield* Effect.fail(ChangedSince.of([{ id, changedBy: [undo] }]))
        return yield* undoAll(storeId, [entry])
      }, orDefect),

      undoSpan: Effect.fnUntraced(function* (storeId, { actorId, since, until }, right) {
        const rows = yield* selectSpan(storeId, actorId, since, until)
        if (rows.length > MAX_UNDONE) return yield* new TooMuchToUndo()
        const entries = yield* decodeRows(rows)
        const { left } = yield* prepare(storeId, entries, right)
        return yield* undoAll(
          storeId,
          entries.filter(({ id }) => left.has(id))
        )
      }, orDefect)
    })
  })
)
