import { Effect, Layer, Option, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { EntryId, EntryNotFound } from "../../domain/journal/Activity.ts"
import { CatalogKind, SCOPES } from "../../domain/journal/Kinds.ts"
import { type UndoConflicts, findUndoConflicts, type ChangeFootprint } from "../../domain/journal/UndoConflicts.ts"
import {
  ChangedSince,
  EntryNotOwn,
  MAX_SINCE,
  MAX_UNDONE,
  NotKept,
  NotUndoable,
  TooMuchToUndo,
  Undo,
  type UndoResult,
  type UndoRefused,
  type UndoRight
} from "../../domain/journal/Undo.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf, millisOf } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { answerOf, countOf, firstOf, type Step, type Part } from "../sql/Plan.ts"
import { constant, sql } from "../sql/Statement.ts"
import { partOf } from "../Journal.ts"
import { listOf } from "../Lists.ts"
import { amongOthers, recordAll } from "../Writes.ts"
import { JournalRow, AdministeredRow, selectKept, selectSpan } from "./JournalRow.ts"
import { undoCollection } from "./UndoCollections.ts"
import { undoProduct } from "./UndoProducts.ts"

const keptOf = firstOf(Schema.Union([JournalRow, AdministeredRow]))
const toEntryId = Schema.decodeSync(EntryId)
const decodeSpan = compileTrustedDecoder(Schema.Array(JournalRow))

/** The ids of entries are made of two clocks, of the database and of the store, which may be apart by this, in milliseconds. */
const CLOCKS_APART = 3_600_000

const lockCollections = (store: StoreId, ids: string) => sql`
  select from collections where store_id = ${store} and id = any(${ids}::uuid[]) order by id for no key update
`
const lockProducts = (store: StoreId, ids: string) => sql`
  select from products where store_id = ${store} and id = any(${ids}::uuid[]) order by id for update
`

/** Of each resource the entries from a version on, each as early as an id. */
const selectHistory = (store: StoreId, resources: string, versions: string, earliest: string) => sql`
  select j.id, j.resource_id as "resourceId", j.version, j.after is null as "isEnd", j.members, j.undoes
  from unnest(${resources}::uuid[], ${versions}::integer[], ${earliest}::uuid[])
    as wanted (resource_id, version, earliest), lateral (
    select id, resource_id, version, after, undoes, case when before is not null and after is not null then
      omitted || array(
        select json_object_keys(before::json) union select json_object_keys(after::json)
        except select unnest('{version,updatedAt}'::text[])
      )
    end as members
    from entries_of_resource(${store}, wanted.resource_id, wanted.earliest, wanted.version, ${constant(MAX_SINCE + 1)})
  ) as j
  limit ${constant(MAX_SINCE + 1)}
`
const decodeHistory = compileTrustedDecoder(
  Schema.Array(
    Schema.Struct({
      id: Schema.toType(EntryId),
      resourceId: Schema.String,
      version: Schema.Int,
      isEnd: Schema.Boolean,
      members: Schema.NullOr(Schema.Array(Schema.String)),
      undoes: Schema.NullOr(Schema.toType(EntryId))
    })
  )
)

const idsOf = (entries: ReadonlyArray<JournalRow>, resource: JournalRow["resource"]) =>
  entries.filter((entry) => entry.resource === resource).map(({ resourceId }) => resourceId)

/** Takes the locks of all that is changed in the order of ARCHITECTURE.md, The data. */
const lockAll = Effect.fnUntraced(function* (
  store: StoreId,
  entries: ReadonlyArray<JournalRow>
): Step<void, UndoRefused> {
  const joined = entries.flatMap(({ memberships }) => memberships ?? []).map(({ collectionId }) => collectionId)
  yield* countOf(lockCollections(store, listOf([...idsOf(entries, "collection"), ...joined])))
  yield* lockedStore(store)
  yield* countOf(lockProducts(store, listOf(idsOf(entries, "product"))))
})

const earliest = ({ id }: JournalRow) => leastUuidOf(new Date(millisOf(id) - CLOCKS_APART))

/** What became of the resources since the first of the entries, each resource's in the order of its versions. */
const historyOf = Effect.fnUntraced(function* (
  store: StoreId,
  entries: ReadonlyArray<JournalRow>
): Step<ReadonlyArray<ChangeFootprint>, TooMuchToUndo> {
  const firsts = new Map<string, JournalRow>()
  for (const entry of entries) {
    const known = firsts.get(entry.resourceId)
    if (known === undefined || entry.version < known.version) firsts.set(entry.resourceId, entry)
  }
  const { rows } = yield* answerOf(
    selectHistory(
      store,
      listOf([...firsts.keys()]),
      listOf([...firsts.values()].map(({ version }) => version)),
      listOf([...firsts.values()].map(earliest))
    )
  )
  if (rows.length > MAX_SINCE) return yield* new TooMuchToUndo()
  return decodeHistory(rows).toSorted((a, b) => a.version - b.version || Number(a.isEnd) - Number(b.isEnd))
})

/** Members of which the journal does not hold what was there, as far as they are needed. */
const missingOf = ({ after, before, memberships, omitted, resource }: JournalRow): ReadonlyArray<string> => {
  if (before === null) return []
  const isUnplaced = resource === "product" && after === null && memberships === null
  return isUnplaced ? [...omitted, "the collections that held it"] : omitted
}

/** Sees that entries may be undone and that nothing stands in the way, and keeps it so until the transaction ends. */
const prepare = Effect.fnUntraced(function* (
  store: StoreId,
  entries: ReadonlyArray<JournalRow>,
  right: UndoRight
): Step<UndoConflicts, UndoRefused> {
  for (const { actorId, resource } of entries) {
    if (!right.kinds.includes(resource)) yield* new AgentScopeMissing({ scope: SCOPES[resource].write })
    if (right.ownId !== null && right.ownId !== actorId) yield* new EntryNotOwn()
  }
  yield* lockAll(store, entries)
  const found = findUndoConflicts(new Set(entries.map(({ id }) => id)), yield* historyOf(store, entries))
  return found.overlaps.length > 0 ? yield* Effect.fail(ChangedSince.of(found.overlaps)) : found
})

/** Undoes entries, of which the newest comes first: all of them or none. */
const carryOut = Effect.fnUntraced(function* (
  store: StoreId,
  entries: ReadonlyArray<JournalRow>
): Step<UndoResult, UndoRefused> {
  const changes: Array<Change> = []
  const undone: Array<UndoResult["undone"][number]> = []
  for (const kept of entries) {
    const { id, resource, resourceId } = kept
    const members = missingOf(kept)
    if (members.length > 0) yield* new NotKept({ id, members })
    const part: Part<void, UndoRefused> =
      resource === "product" ? undoProduct(store, kept) : undoCollection(store, kept)
    const made = yield* amongOthers(part)
    changes.push(...made.map((change) => ({ ...change, undoes: id })))
    const [change] = made
    undone.push({
      undoes: id,
      id: change === undefined ? null : toEntryId(change.id),
      resource,
      resourceId,
      version: change === undefined || change.after === null ? null : change.version
    })
  }
  for (const resource of CatalogKind.literals) yield* recordAll(changes.filter((one) => one.resource === resource))
  return { undone }
})

const idOf = (time: string) => leastUuidOf(new Date(time))

export const UndoLive = Layer.succeed(
  Undo,
  Undo.of({
    undo: (store, id, right) =>
      Effect.gen(function* () {
        const found = yield* keptOf(selectKept(store, id, partOf(id)))
        const kept = Option.getOrUndefined(found) ?? (yield* new EntryNotFound({ id }))
        if (!("version" in kept)) {
          return yield* Effect.fail(right.ownId === null ? new NotUndoable({ id, ...kept }) : new EntryNotOwn())
        }
        const { undoneBy } = yield* prepare(store, [kept], right)
        const undoing = undoneBy.get(id)
        if (undoing !== undefined) return yield* Effect.fail(ChangedSince.of([{ id, changedBy: [undoing] }]))
        return yield* carryOut(store, [kept])
      }),

    undoSpan: (store, { actorId, since, until }, right) =>
      Effect.gen(function* () {
        const { rows } = yield* answerOf(selectSpan(store, actorId, idOf(since), idOf(until), MAX_UNDONE + 1))
        if (rows.length > MAX_UNDONE) return yield* new TooMuchToUndo()
        const entries = decodeSpan(rows)
        const { left } = yield* prepare(store, entries, right)
        return yield* carryOut(
          store,
          entries.filter(({ id }) => left.has(id))
        )
      })
  })
)
