import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeSetId, Outcome } from "../../domain/changeSets/ChangeSet.ts"
import { type NumberedOperation, OperationDocument, type Performed } from "../../domain/changeSets/StoredOperation.ts"
import type { StagedChange } from "../../domain/changeSets/ChangeSets.ts"
import { ImportRowDocument } from "../../domain/imports/Documents.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { joinLines, NULL_ELEMENT, plainArray, textArray } from "../sql/ArrayLiterals.ts"
import { StoredColumn } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { pageReader } from "../sql/Pages.ts"
import { rowsReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"

const readResults = pageReader(Schema.String)
const readOperations = rowsReader(
  Schema.Struct({
    index: Schema.Int,
    operation: StoredColumn(OperationDocument),
    baseId: Schema.NullOr(Schema.String),
    base: Schema.NullOr(Schema.Int),
    wasRefused: Schema.Boolean
  })
)

const readStaged = rowsReader(Schema.Struct({ index: Schema.Int, operation: Schema.String }))

const readImportRows = rowsReader(Schema.Struct({ index: Schema.Int, row: StoredColumn(ImportRowDocument) }))

/** Operation to apply. `wasRefused`: the preview refused it. */
interface ChangingOperation extends NumberedOperation {
  readonly wasRefused: boolean
}

const toNumbered = (row: Effect.Success<ReturnType<typeof readOperations>>[number]): NumberedOperation => ({
  index: row.index,
  operation: row.operation,
  base: row.base === null ? null : { id: row.baseId, version: row.base }
})

/** Rows of uploads, of the operations of change sets, and of their results. */
export class OperationRepository extends Context.Service<OperationRepository>()(
  "layers/changeSets/OperationRepository",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return {
        /** Begins to receive the operations of a set. */
        insertUpload: Effect.fn("OperationRepository.insertUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`insert into change_set_uploads (store_id, id) values (${store}, ${id})`
        }, orDefect),

        /** Ends the upload of a set that is created. */
        deleteUpload: Effect.fn("OperationRepository.deleteUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`delete from change_set_uploads where store_id = ${store} and id = ${id}`
        }, orDefect),

        /** Discards an upload and its operations, unless its set was created. */
        discardUpload: Effect.fn("OperationRepository.discardUpload")(function* (store: StoreId, id: ChangeSetId) {
          yield* sql`
          with discarded as (
            delete from change_set_uploads where store_id = ${store} and id = ${id} returning id
          )
          delete from change_set_operations
          where store_id = ${store} and change_set_id = (select id from discarded)
        `
        }, orDefect),

        /** Stores operations from a position on. */
        insertOperations: Effect.fn("OperationRepository.insertOperations")(function* (
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

        /** Changes stored operations by their positions. */
        changeOperations: Effect.fn("OperationRepository.changeOperations")(function* (
          store: StoreId,
          id: ChangeSetId,
          changes: ReadonlyArray<StagedChange>
        ) {
          const stored = yield* readStaged(sql`
          select index, operation from change_set_operations
          where store_id = ${store} and change_set_id = ${id}
            and index = any(${plainArray(changes.map(({ index }) => index))}::integer[])
        `)
          const byIndex = new Map(changes.map(({ change, index }) => [index, change]))
          const changed = stored.map(({ index, operation }) => byIndex.get(index)?.(operation) ?? operation)
          yield* sql`
          update change_set_operations o set operation = list.operation
          from unnest(${plainArray(stored.map(({ index }) => index))}::integer[], ${textArray(changed)}::text[])
            as list (index, operation)
          where o.store_id = ${store} and o.change_set_id = ${id} and o.index = list.index
        `
        }, orDefect),

        /** Stores an operation for each applied result of another set, newest first. Returns their number. */
        insertUndo: Effect.fn("OperationRepository.insertUndo")(
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

        /** Lists results in the order of operations. The cursor is the position of the last one. */
        listResults: Effect.fn("OperationRepository.listResults")(
          (store: StoreId, id: ChangeSetId, after: number, limit: number, outcome: Outcome | undefined) =>
            readResults(sql`
            with page as (
              select index, json_build_object(
                'index', index, 'outcome', outcome, 'isApplied', is_applied, 'resource', resource, 'id', resource_id,
                'version', case when is_applied then version else seen end, 'entryId', entry_id, 'error', error,
                'issues', issues, 'line', line, 'externalId', external_id
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
        listOperations: Effect.fn("OperationRepository.listOperations")(function* (
          store: StoreId,
          id: ChangeSetId,
          first: number,
          limit: number
        ) {
          const rows = yield* readOperations(sql`
          select index, operation, null as "baseId", null::integer as base, false as "wasRefused" from change_set_operations
          where store_id = ${store} and change_set_id = ${id} and index >= ${first} order by index limit ${limit}
        `)
          return rows.map(toNumbered)
        }, orDefect),

        /** Reads rows of an import from a position on, at least one if any is left. */
        listRows: Effect.fn("OperationRepository.listRows")(
          (store: StoreId, id: ChangeSetId, first: number, limit: number, bytes: number) =>
            readImportRows(sql`
            select index, operation as row from (
              select index, operation, sum(octet_length(operation)) over (order by index) as size from (
                select index, operation from change_set_operations
                where store_id = ${store} and change_set_id = ${id} and index >= ${first} order by index limit ${limit}
              ) as next
            ) as sized
            where size <= ${bytes} or index = ${first} order by index
          `),
          orDefect
        ),

        /**
         * Reads the operations from a position on that change something according to the preview, and for an undo that
         * overwrites also those that it refused.
         */
        listChanging: Effect.fn("OperationRepository.listChanging")(function* (
          store: StoreId,
          id: ChangeSetId,
          first: number,
          limit: number,
          withRefused: boolean
        ) {
          const rows = yield* readOperations(sql`
          select r.index, o.operation, case when r.base is not null then r.resource_id end as "baseId",
            coalesce(r.base, r.seen) as base, r.outcome = 'refused' as "wasRefused" from change_set_results r, lateral (
            select operation from change_set_operations o
            where o.store_id = r.store_id and o.change_set_id = r.change_set_id and o.index = r.index limit 1
          ) o
          where r.store_id = ${store} and r.change_set_id = ${id} and r.index >= ${first} and not r.is_applied
            and (r.outcome in ('created', 'updated', 'deleted') or (${withRefused} and r.outcome = 'refused'))
          order by r.index limit ${limit}
        `)
          return rows.map((row): ChangingOperation => ({ ...toNumbered(row), wasRefused: row.wasRefused }))
        }, orDefect),

        /** Stores results of the preview, or of the application. */
        storeResults: Effect.fn("OperationRepository.storeResults")(function* (
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
            store_id, change_set_id, index, outcome, resource, resource_id, seen, version, base, entry_id, is_applied, error,
            issues, line, external_id
          )
          select ${store}, ${id}, index, outcome, resource, resource_id, seen, version, base, entry_id, ${isApplied}, error,
            issues::json, line, external_id
          from unnest(
            ${plain(({ index }) => index)}::integer[], ${plain(({ outcome }) => outcome)}::text[],
            ${plain(({ resource }) => resource)}::text[], ${plain(({ id }) => id)}::uuid[],
            ${plain(({ seen }) => seen)}::integer[], ${plain(({ version }) => version)}::integer[],
            ${plain(({ base }) => base ?? null)}::integer[],
            ${plain(({ entryId }) => (isApplied ? entryId : null))}::uuid[],
            ${textArray(results.map(({ error }) => error))}::text[],
            ${textArray(results.map(({ issues }) => (issues === null ? null : JSON.stringify(issues))))}::text[],
            ${plain(({ row }) => row?.line ?? null)}::integer[],
            ${textArray(results.map(({ row }) => row?.externalId ?? null))}::text[]
          ) as list (index, outcome, resource, resource_id, seen, version, base, entry_id, error, issues, line, external_id)
          on conflict (store_id, change_set_id, index) do update
          set outcome = excluded.outcome, resource_id = excluded.resource_id, seen = excluded.seen,
            version = excluded.version, entry_id = excluded.entry_id, is_applied = excluded.is_applied,
            error = excluded.error, issues = excluded.issues
        `
        }, orDefect)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
