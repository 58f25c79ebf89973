import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MerchantId } from "../../domain/access/Ids.ts"
import {
  ChangeSetId,
  ChangeSetMode,
  ChangeSetState,
  KEPT_DAYS,
  OnConflict,
  type Outcome,
  READY_DAYS,
  Selection
} from "../../domain/changeSets/ChangeSet.ts"
import { Edit } from "../../domain/changeSets/Edit.ts"
import { type NumberedOperation, type Performed, StoredOperation } from "../../domain/changeSets/StoredOperation.ts"
import { actorType, EventId } from "../../domain/Events.ts"
import { ActorType, EntrySurface } from "../../domain/journal/Activity.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { joinLines, NULL_ELEMENT, plainArray, textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { END, pageReader, selectPage } from "../sql/Pages.ts"
import { PURGE_BATCH } from "../sql/Purging.ts"
import { findJson, requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant, sql as fragment } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { rowCount } from "../sql/Transaction.ts"

/** Change set as jobs and writes use it. */
const Stored = Schema.Struct({
  id: Schema.toType(ChangeSetId),
  state: ChangeSetState,
  mode: ChangeSetMode,
  note: Schema.NullOr(Schema.String),
  actorType: ActorType,
  actorId: Schema.String,
  approvedBy: Schema.NullOr(Schema.String),
  surface: EntrySurface,
  requestId: Schema.NullOr(Schema.String),
  cause: Schema.NullOr(Schema.toType(EventId)),
  selection: Schema.NullOr(Schema.toType(Selection)),
  change: Schema.NullOr(Schema.toType(Edit)),
  undoes: Schema.NullOr(Schema.toType(ChangeSetId)),
  scopes: Schema.Array(Schema.String),
  applyAt: Schema.NullOr(Schema.Date),
  onConflict: OnConflict,
  total: Schema.Int,
  done: Schema.Int,
  changed: Schema.Int,
  refused: Schema.Int,
  preview: Schema.NullOr(Schema.Unknown)
})
export type StoredChangeSet = typeof Stored.Type

const columns = fragment.literal(`
  id, state, mode, note, actor_type as "actorType", actor_id as "actorId", approved_by as "approvedBy", surface,
  request_id as "requestId", cause, selection, change, undoes, scopes, apply_at as "applyAt", on_conflict as "onConflict",
  total, done, changed, refused, preview
`)

/** Values of a new change set. */
export interface NewStored {
  readonly id: ChangeSetId
  readonly mode: ChangeSetMode
  readonly note: string | null
  readonly applyAt: string | null
  readonly selection: Selection | null
  readonly change: Edit | null
  readonly undoes: ChangeSetId | null
  readonly scopes: ReadonlyArray<string>
  /** Number of operations, or -1 if they are not known yet. */
  readonly total: number
}

const decodeOperation = Schema.decodeUnknownSync(Schema.toType(StoredOperation), { disableChecks: true })

const readStored = rowReader(Stored)
const readPage = pageReader(ChangeSetId)
const readResults = pageReader(Schema.String)
const readOperations = rowsReader(
  Schema.Struct({
    index: Schema.Int,
    operation: Schema.fromJsonString(Schema.Unknown),
    seen: Schema.NullOr(Schema.Int),
    wasRefused: Schema.Boolean
  })
)
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readId = rowReader(Schema.Struct({ id: Schema.toType(ChangeSetId) }))
const readIds = rowsReader(Schema.Struct({ id: Schema.toType(ChangeSetId) }))

/** Operation to apply. `wasRefused`: the preview refused it. */
interface ChangingOperation extends NumberedOperation {
  readonly wasRefused: boolean
}

const isUnfinished = fragment`state in ('previewing', 'ready', 'scheduled', 'applying')`

/** Rows of change sets, with their operations and results. */
export class ChangeSetRepository extends Context.Service<ChangeSetRepository>()(
  "layers/changeSets/ChangeSetRepository",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const setJson = sql`
      json_build_object(
        'id', s.id, 'state', s.state, 'mode', s.mode, 'note', s.note, 'where', s.selection, 'change', s.change,
        'counts', json_build_object(
          'total', greatest(s.total, 0), 'changed', s.changed, 'unchanged', s.unchanged, 'refused', s.refused
        ),
        'progress', json_build_object('done', s.done, 'total', greatest(s.total, 0)),
        'preview', case when s.previewed_at is not null then s.preview end, 'undoes', s.undoes,
        'undoneBy', (
          select u.id from change_sets u where u.store_id = s.store_id and u.undoes = s.id and u.applied_at is not null
          order by u.id desc limit 1
        ),
        'actor', json_build_object('type', s.actor_type, 'id', s.actor_id), 'approvedBy', s.approved_by,
        'onConflict', s.on_conflict, 'failure', s.failure, 'applyAt', ${time("s.apply_at")},
        'createdAt', ${time("s.created_at")}, 'previewedAt', ${time("s.previewed_at")},
        'appliedAt', ${time("s.applied_at")}, 'finishedAt', ${time("s.finished_at")}
      )::text
    `

      const isVisible = (store: StoreId, id: ChangeSetId, ownId: string | null) =>
        sql`s.store_id = ${store} and s.id = ${id} and (${ownId}::uuid is null or s.actor_id = ${ownId})`

      return {
        /** Stores operations from a position on. */
        insertOperations: Effect.fn("ChangeSetRepository.insertOperations")(function* (
          store: StoreId,
          id: ChangeSetId,
          first: number,
          operations: ReadonlyArray<JsonText>
        ) {
          yield* sql`
          insert into change_set_operations (store_id, change_set_id, index, operation)
          select ${store}, ${id}, ${first}::integer + place - 1, operation
          from unnest(string_to_array(${joinLines(operations)}, E'\\n')) with ordinality as list (operation, place)
        `
        }, orDefect),

        /** Begins to receive the operations of a set. */
        insertUpload: Effect.fn("ChangeSetRepository.insertUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`insert into change_set_uploads (store_id, id) values (${store}, ${id})`
        }, orDefect),

        /** Ends the upload of a set that is created. */
        deleteUpload: Effect.fn("ChangeSetRepository.deleteUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`delete from change_set_uploads where store_id = ${store} and id = ${id}`
        }, orDefect),

        /** Discards an upload and its operations, unless its set was created. */
        discardUpload: Effect.fn("ChangeSetRepository.discardUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`
          with discarded as (
            delete from change_set_uploads where store_id = ${store} and id = ${id} returning id
          )
          delete from change_set_operations
          where store_id = ${store} and change_set_id = (select id from discarded)
        `
        }, orDefect),

        /** Stores an operation for each applied result of another set, newest first. Returns their number. */
        insertUndo: Effect.fn("ChangeSetRepository.insertUndo")(
          (store: StoreId, id: ChangeSetId, undoes: ChangeSetId) =>
            rowCount(sql`
            insert into change_set_operations (store_id, change_set_id, index, operation)
            select ${store}, ${id}, row_number() over (order by index desc) - 1, json_build_object(
              'op', 'entry.undo', 'entryId', entry_id, 'resource', resource, 'id', resource_id
            )::text
            from change_set_results
            where store_id = ${store} and change_set_id = ${undoes} and entry_id is not null
          `),
          orDefect
        ),

        /** Finds the newest applied set that undoes another one. */
        findUndo: Effect.fn("ChangeSetRepository.findUndo")(
          (store: StoreId, id: ChangeSetId) =>
            Effect.map(
              readId(sql`
              select id from change_sets
              where store_id = ${store} and undoes = ${id} and applied_at is not null order by id desc limit 1
            `),
              Option.map(({ id }) => id)
            ),
          orDefect
        ),

        countUnfinished: Effect.fn("ChangeSetRepository.countUnfinished")(
          (store: StoreId) =>
            Effect.map(
              readCount(sql`
              select count(*)::integer as count from change_sets where store_id = ${store} and ${isUnfinished}
            `),
              ({ count }) => count
            ),
          orDefect
        ),

        insert: Effect.fn("ChangeSetRepository.insert")(function* (
          { actor, approvedBy, cause, requestId, storeId, surface }: WriteContext,
          { applyAt, change, id, mode, note, scopes, selection, total, undoes }: NewStored
        ) {
          yield* sql`
          insert into change_sets (
            store_id, id, state, mode, note, actor_type, actor_id, approved_by, surface, request_id, cause, selection,
            change, undoes, scopes, apply_at, total, created_at
          ) values (
            ${storeId}, ${id}, 'previewing', ${mode}, ${note}, ${actorType(actor)}, ${actor.id}, ${approvedBy ?? null},
            ${surface}, ${requestId ?? null}, ${cause}, ${selection === null ? null : JSON.stringify(selection)},
            ${change === null ? null : JSON.stringify(change)}, ${undoes}, ${textArray(scopes)}::text[],
            ${applyAt}::timestamptz, ${total}, statement_timestamp()
          )
        `
        }, orDefect),

        findJson: Effect.fn("ChangeSetRepository.findJson")(
          (store: StoreId, id: ChangeSetId, ownId: string | null) =>
            findJson(sql`select ${setJson} as json from change_sets s where ${isVisible(store, id, ownId)}`),
          orDefect
        ),

        find: Effect.fn("ChangeSetRepository.find")(
          (store: StoreId, id: ChangeSetId) =>
            readStored(sql`select ${columns} from change_sets s where ${isVisible(store, id, null)}`),
          orDefect
        ),

        lock: Effect.fn("ChangeSetRepository.lock")(
          (store: StoreId, id: ChangeSetId, ownId: string | null) =>
            readStored(
              sql`select ${columns} from change_sets s where ${isVisible(store, id, ownId)} for no key update`
            ),
          orDefect
        ),

        listPage: Effect.fn("ChangeSetRepository.listPage")(
          (store: StoreId, { cursor, limit }: PageRequest<ChangeSetId>, ownId: string | null) =>
            readPage(
              selectPage(
                sql,
                sql`
                select s.id, ${setJson} as json from change_sets s
                where s.store_id = ${store} and s.id < ${cursor ?? END} and (${ownId}::uuid is null or s.actor_id = ${ownId})
              `,
                limit,
                "desc"
              )
            ),
          orDefect
        ),

        /** Lists results in the order of operations. The cursor is the position of the last one. */
        listResults: Effect.fn("ChangeSetRepository.listResults")(
          (store: StoreId, id: ChangeSetId, after: number, limit: number, outcome: Outcome | undefined) =>
            readResults(sql`
            with page as (
              select index, json_build_object(
                'index', index, 'outcome', outcome, 'isApplied', is_applied, 'resource', resource, 'id', resource_id,
                'version', case when is_applied then version else seen end, 'entryId', entry_id, 'error', error,
                'issues', issues
              )::text as json
              from change_set_results
              where store_id = ${store} and change_set_id = ${id} and index > ${after}
                and (${outcome ?? null}::text is null or outcome = ${outcome ?? null})
              order by index limit ${limit} + 1
            ), shown as (select * from page order by index limit ${limit})
            select
              '[' || coalesce(string_agg(json, ',' order by index), '') || ']' as items,
              case when count(*) < (select count(*) from page) then max(index)::text end as "nextCursor"
            from shown
          `),
          orDefect
        ),

        /** Reads operations from a position on, for the preview. */
        listOperations: Effect.fn("ChangeSetRepository.listOperations")(function* (
          store: StoreId,
          id: ChangeSetId,
          first: number,
          limit: number
        ) {
          const rows = yield* readOperations(sql`
          select index, operation, null::integer as seen, false as "wasRefused" from change_set_operations
          where store_id = ${store} and change_set_id = ${id} and index >= ${first} order by index limit ${limit}
        `)
          return rows.map(({ operation, ...row }): NumberedOperation => ({
            ...row,
            operation: decodeOperation(operation)
          }))
        }, orDefect),

        /**
         * Reads the operations from a position on that change something according to the preview, and for an undo that
         * overwrites also those that it refused.
         */
        listChanging: Effect.fn("ChangeSetRepository.listChanging")(function* (
          store: StoreId,
          id: ChangeSetId,
          first: number,
          limit: number,
          withRefused: boolean
        ) {
          const rows = yield* readOperations(sql`
          select r.index, o.operation, r.seen, r.outcome = 'refused' as "wasRefused" from change_set_results r, lateral (
            select operation from change_set_operations o
            where o.store_id = r.store_id and o.change_set_id = r.change_set_id and o.index = r.index limit 1
          ) o
          where r.store_id = ${store} and r.change_set_id = ${id} and r.index >= ${first} and not r.is_applied
            and (r.outcome in ('created', 'updated', 'deleted') or (${withRefused} and r.outcome = 'refused'))
          order by r.index limit ${limit}
        `)
          return rows.map(({ operation, ...row }): ChangingOperation => ({
            ...row,
            operation: decodeOperation(operation)
          }))
        }, orDefect),

        /** Stores results of the preview, or of the application. */
        storeResults: Effect.fn("ChangeSetRepository.storeResults")(function* (
          store: StoreId,
          id: ChangeSetId,
          results: ReadonlyArray<Performed>,
          isApplied: boolean
        ) {
          if (results.length === 0) return
          const plain = (valueOf: (result: Performed) => string | number | null) =>
            plainArray(results.map((result) => valueOf(result) ?? NULL_ELEMENT))
          yield* sql`
          insert into change_set_results as r (
            store_id, change_set_id, index, outcome, resource, resource_id, seen, version, entry_id, is_applied, error, issues
          )
          select ${store}, ${id}, index, outcome, resource, resource_id, seen, version, entry_id, ${isApplied}, error,
            issues::json
          from unnest(
            ${plain(({ index }) => index)}::integer[], ${plain(({ outcome }) => outcome)}::text[],
            ${plain(({ resource }) => resource)}::text[], ${plain(({ id }) => id)}::uuid[],
            ${plain(({ seen }) => seen)}::integer[], ${plain(({ version }) => version)}::integer[],
            ${plain(({ entryId }) => (isApplied ? entryId : null))}::uuid[],
            ${textArray(results.map(({ error }) => error))}::text[],
            ${textArray(results.map(({ issues }) => (issues === null ? null : JSON.stringify(issues))))}::text[]
          ) as list (index, outcome, resource, resource_id, seen, version, entry_id, error, issues)
          on conflict (store_id, change_set_id, index) do update
          set outcome = excluded.outcome, resource_id = excluded.resource_id, seen = excluded.seen,
            version = excluded.version, entry_id = excluded.entry_id, is_applied = excluded.is_applied,
            error = excluded.error, issues = excluded.issues
        `
        }, orDefect),

        /** Stores the progress of a step. */
        advance: Effect.fn("ChangeSetRepository.advance")(function* (
          store: StoreId,
          id: ChangeSetId,
          {
            changed,
            done,
            preview,
            refused,
            unchanged
          }: {
            readonly done: number
            readonly changed: number
            readonly unchanged: number
            readonly refused: number
            readonly preview?: unknown
          }
        ) {
          yield* sql`
          update change_sets
          set done = ${done}, changed = changed + ${changed}, unchanged = unchanged + ${unchanged},
            refused = refused + ${refused},
            preview = coalesce(${preview === undefined ? null : JSON.stringify(preview)}::json, preview)
          where store_id = ${store} and id = ${id}
        `
        }, orDefect),

        setTotal: Effect.fn("ChangeSetRepository.setTotal")(function* (store: StoreId, id: ChangeSetId, total: number) {
          yield* sql`update change_sets set total = ${total} where store_id = ${store} and id = ${id}`
        }, orDefect),

        /** Ends the preview. */
        ready: Effect.fn("ChangeSetRepository.ready")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`
          update change_sets set state = 'ready', done = total, previewed_at = statement_timestamp()
          where store_id = ${store} and id = ${id}
        `
        }, orDefect),

        /** Starts the application, or schedules it. */
        start: Effect.fn("ChangeSetRepository.start")(function* (
          store: StoreId,
          id: ChangeSetId,
          state: "scheduled" | "applying",
          onConflict: OnConflict,
          approvedBy: MerchantId | null
        ) {
          yield* sql`
          update change_sets set state = ${state}, done = 0, on_conflict = ${onConflict},
            approved_by = coalesce(${approvedBy}, approved_by),
            applied_at = case when ${state} = 'applying' then coalesce(applied_at, statement_timestamp()) end
          where store_id = ${store} and id = ${id}
        `
        }, orDefect),

        /** Ends a set and deletes its operations. */
        finish: Effect.fn("ChangeSetRepository.finish")(function* (
          store: StoreId,
          id: ChangeSetId,
          state: "applied" | "canceled" | "failed",
          failure: string | null
        ) {
          yield* sql`
          update change_sets set state = ${state}, failure = ${failure}, finished_at = statement_timestamp(),
            done = case when ${state} = 'applied' then total else done end
          where store_id = ${store} and id = ${id}
        `
          yield* sql`delete from change_set_operations where store_id = ${store} and change_set_id = ${id}`
        }, orDefect),

        /** Ids of sets that have been ready for too long, of a store that is not locked by others. */
        cancelStale: Effect.fn("ChangeSetRepository.cancelStale")(function* () {
          const stale = yield* readIds(sql`
          with stale as (
            select store_id, id from change_sets
            where state = 'ready' and previewed_at < now() - interval '${constant(READY_DAYS)} days'
            order by previewed_at limit ${constant(PURGE_BATCH)} for update skip locked
          ), emptied as (
            delete from change_set_operations o using stale where o.store_id = stale.store_id and o.change_set_id = stale.id
          )
          update change_sets s set state = 'canceled', finished_at = statement_timestamp(),
            failure = 'The set was not applied within ${constant(READY_DAYS)} days'
          from stale where s.store_id = stale.store_id and s.id = stale.id
          returning s.id
        `)
          return stale.length
        }, orDefect),

        /** Deletes a batch of expired sets and of uploads that ended without a set. */
        deleteExpired: Effect.fn("ChangeSetRepository.deleteExpired")(function* () {
          const uploads = yield* rowCount(sql`
          with expired as (
            select store_id, id from change_set_uploads
            where started_at < now() - interval '1 day' order by started_at limit 10 for update skip locked
          ), operations as (
            delete from change_set_operations o using expired where o.store_id = expired.store_id and o.change_set_id = expired.id
          )
          delete from change_set_uploads u using expired where u.store_id = expired.store_id and u.id = expired.id
        `)
          const sets = yield* rowCount(sql`
          with expired as (
            select store_id, id from change_sets
            where finished_at < now() - interval '${constant(KEPT_DAYS)} days'
            order by finished_at limit 10 for update skip locked
          ), results as (
            delete from change_set_results r using expired where r.store_id = expired.store_id and r.change_set_id = expired.id
          )
          delete from change_sets s using expired where s.store_id = expired.store_id and s.id = expired.id
        `)
          return uploads + sets
        }, orDefect)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
