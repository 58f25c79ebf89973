import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { ChangeSetId, KEPT_DAYS, type OnConflict, READY_DAYS } from "../../domain/changeSets/ChangeSet.ts"
import { actorType } from "../../domain/Events.ts"
import type { ChangeSetPage } from "../../domain/changeSets/ChangeSets.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { LeaseLost } from "../jobs/Jobs.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { END, pageReader, selectPage } from "../sql/Pages.ts"
import { PURGE_BATCH } from "../sql/Purging.ts"
import { findJson, requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant, sql as fragment } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { changeSetJson, columns, type NewStored, StoredChangeSet } from "./StoredChangeSet.ts"
import { isMoving } from "../storeMove/Moving.ts"

const readStored = rowReader(StoredChangeSet)
const readPage = pageReader(ChangeSetId)
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readId = rowReader(Schema.Struct({ id: Schema.toType(ChangeSetId) }))

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value))

const unfinished = fragment`state in ('previewing', 'ready', 'scheduled', 'applying')`

/** Rows of change sets. */
export class ChangeSetRepository extends Context.Service<ChangeSetRepository>()(
  "layers/changeSets/ChangeSetRepository",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const isVisible = (store: StoreId, id: ChangeSetId, ownId: string | null) =>
        sql`s.store_id = ${store} and s.id = ${id} and (${ownId}::uuid is null or s.actor_id = ${ownId})`

      return {
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
            readCount(
              sql`select count(*)::integer as count from change_sets where store_id = ${store} and ${unfinished}`
            ),
          orDefect
        ),

        insert: Effect.fn("ChangeSetRepository.insert")(function* (
          { actor, approvedBy, cause, requestId, storeId, surface }: WriteContext,
          { applyAt, change, id, import: settings, mode, note, scopes, selection, total, undoes }: NewStored,
          state: "previewing" | "applying"
        ) {
          yield* sql`
          insert into change_sets (
            store_id, id, state, mode, note, actor_type, actor_id, approved_by, surface, request_id, cause, import,
            selection, change, undoes, scopes, apply_at, total, created_at, applied_at
          ) values (
            ${storeId}, ${id}, ${state}, ${mode}, ${note}, ${actorType(actor)}, ${actor.id}, ${approvedBy ?? null},
            ${surface}, ${requestId ?? null}, ${cause}, ${jsonOrNull(settings)}, ${jsonOrNull(selection)},
            ${jsonOrNull(change)}, ${undoes}, ${textArray(scopes)}::text[], ${applyAt}::timestamptz, ${total},
            statement_timestamp(), case when ${state} = 'applying' then statement_timestamp() end
          )
        `
        }, orDefect),

        findJson: Effect.fn("ChangeSetRepository.findJson")(
          (store: StoreId, id: ChangeSetId, ownId: string | null) =>
            findJson(sql`select ${changeSetJson} as json from change_sets s where ${isVisible(store, id, ownId)}`),
          orDefect
        ),

        find: Effect.fn("ChangeSetRepository.find")(
          (store: StoreId, id: ChangeSetId, ownId: string | null = null) =>
            readStored(sql`select ${columns} from change_sets s where ${isVisible(store, id, ownId)}`),
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
          (store: StoreId, { cursor, isUnfinished, limit }: ChangeSetPage, ownId: string | null) =>
            readPage(
              selectPage(
                sql,
                sql`
                select s.id, ${changeSetJson} as json from change_sets s
                where s.store_id = ${store} and s.id < ${cursor ?? END} and (${ownId}::uuid is null or s.actor_id = ${ownId})
                  ${isUnfinished === true ? sql`and ${unfinished}` : sql``}
              `,
                limit,
                "desc"
              )
            ),
          orDefect
        ),

        /** Stores the progress of a step. Fails with `LeaseLost` if the set has ended. */
        advance: Effect.fn("ChangeSetRepository.advance")(function* (
          store: StoreId,
          id: ChangeSetId,
          {
            changed,
            created = 0,
            done,
            preview,
            refused,
            unchanged
          }: {
            readonly done: number
            /** Counted for imports. */
            readonly created?: number
            readonly changed: number
            readonly unchanged: number
            readonly refused: number
            readonly preview?: unknown
          }
        ) {
          const advanced = yield* rowCount(sql`
          update change_sets
          set done = ${done}, created = created + ${created}, changed = changed + ${changed}, unchanged = unchanged + ${unchanged},
            refused = refused + ${refused},
            preview = coalesce(${preview === undefined ? null : JSON.stringify(preview)}::json, preview)
          where store_id = ${store} and id = ${id} and state in ('previewing', 'applying')
        `)
          if (advanced === 0) yield* new LeaseLost()
        }, orDefect),

        /** Counts pictures of an import. */
        countImages: Effect.fn("ChangeSetRepository.countImages")(function* (
          store: StoreId,
          id: ChangeSetId,
          { copied = 0, failed = 0 }: { readonly copied?: number; readonly failed?: number }
        ) {
          yield* sql`
          update change_sets set images_copied = images_copied + ${copied}, images_failed = images_failed + ${failed}
          where store_id = ${store} and id = ${id}
        `
        }, orDefect),

        /** Stores the number of operations. Fails with `LeaseLost` if the preview has ended. */
        setTotal: Effect.fn("ChangeSetRepository.setTotal")(function* (store: StoreId, id: ChangeSetId, total: number) {
          const set = yield* rowCount(sql`
          update change_sets set total = ${total} where store_id = ${store} and id = ${id} and state = 'previewing'
        `)
          if (set === 0) yield* new LeaseLost()
        }, orDefect),

        /** Ends the preview. Fails with `LeaseLost` if it has ended. */
        ready: Effect.fn("ChangeSetRepository.ready")(function* (store: StoreId, id: ChangeSetId) {
          const ended = yield* rowCount(sql`
          update change_sets set state = 'ready', done = total, previewed_at = statement_timestamp()
          where store_id = ${store} and id = ${id} and state = 'previewing'
        `)
          if (ended === 0) yield* new LeaseLost()
        }, orDefect),

        /** Starts the application, or schedules it. Returns false if the set is no longer in the state `from`. */
        start: Effect.fn("ChangeSetRepository.start")(function* (
          store: StoreId,
          id: ChangeSetId,
          from: "ready" | "scheduled",
          state: "scheduled" | "applying",
          onConflict: OnConflict,
          approvedBy: MerchantId | null
        ) {
          const started = yield* rowCount(sql`
          update change_sets set state = ${state}, done = 0, on_conflict = ${onConflict},
            approved_by = coalesce(${approvedBy}, approved_by),
            applied_at = case when ${state} = 'applying' then coalesce(applied_at, statement_timestamp()) end
          where store_id = ${store} and id = ${id} and state = ${from}
        `)
          return started > 0
        }, orDefect),

        /**
         * Ends an unfinished set and deletes its operations; a finished one stays as it is. A set that was not applied to its
         * end counts only the operations that were applied. Imports count while they run.
         */
        finish: Effect.fn("ChangeSetRepository.finish")(function* (
          store: StoreId,
          id: ChangeSetId,
          state: "applied" | "canceled" | "failed",
          failure: string | null
        ) {
          yield* sql`
          update change_sets set state = ${state}, failure = ${failure}, finished_at = statement_timestamp(),
            done = case when ${state} = 'applied' then total else done end,
            changed = case when ${state} = 'applied' or import is not null then changed else (
              select count(*) from change_set_results
              where store_id = ${store} and change_set_id = ${id} and is_applied
                and outcome in ('created', 'updated', 'deleted')
            ) end
          where store_id = ${store} and id = ${id} and ${unfinished}
        `
          yield* sql`delete from change_set_operations where store_id = ${store} and change_set_id = ${id}`
        }, orDefect),

        /** Cancels a batch of sets that have been ready for too long. Returns their number. */
        cancelStale: Effect.fn("ChangeSetRepository.cancelStale")(
          () =>
            rowCount(sql`
          with stale as (
            select store_id, id from change_sets
            where state = 'ready' and previewed_at < now() - interval '${constant(READY_DAYS)} days'
              and not ${isMoving("change_sets")}
            order by previewed_at limit ${constant(PURGE_BATCH)} for update skip locked
          ), emptied as (
            delete from change_set_operations o using stale where o.store_id = stale.store_id and o.change_set_id = stale.id
          )
          update change_sets s set state = 'canceled', changed = 0, finished_at = statement_timestamp(),
            failure = 'The set was not applied within ${constant(READY_DAYS)} days'
          from stale where s.store_id = stale.store_id and s.id = stale.id
        `),
          orDefect
        ),

        /** Deletes a batch of expired sets and of uploads that ended without a set. */
        deleteExpired: Effect.fn("ChangeSetRepository.deleteExpired")(function* () {
          const uploads = yield* rowCount(sql`
          with expired as (
            select store_id, id from change_set_uploads
            where started_at < now() - interval '1 day' and not ${isMoving("change_set_uploads")} order by started_at limit 10 for update skip locked
          ), operations as (
            delete from change_set_operations o using expired where o.store_id = expired.store_id and o.change_set_id = expired.id
          )
          delete from change_set_uploads u using expired where u.store_id = expired.store_id and u.id = expired.id
        `)
          const sets = yield* rowCount(sql`
          with expired as (
            select store_id, id from change_sets
            where finished_at < now() - interval '${constant(KEPT_DAYS)} days' and not ${isMoving("change_sets")}
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
