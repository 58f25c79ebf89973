import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  Export,
  ExportContent,
  ExportId,
  ExportNotFinished,
  ExportNotFound,
  ExportState,
  KEPT_HOURS
} from "../../domain/exports/Export.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { StoredColumn } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { END, pageReader, selectPage } from "../sql/Pages.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { rowCount } from "../sql/Transaction.ts"
import { isMoving } from "../storeMove/Moving.ts"

const ExportRow = Schema.Struct({ json: Schema.fromJsonString(Schema.toType(Export)) })
const readExport = rowReader(ExportRow)
/** Stored form of what an export contains. */
export const ContentDocument = storedDocument(ExportContent)

const readContent = rowReader(Schema.Struct({ state: ExportState, content: StoredColumn(ContentDocument) }))
const readPage = pageReader(ExportId)
const readStates = rowsReader(Schema.Struct({ id: Schema.toType(ExportId), state: ExportState }))
const readInserted = requiredRowReader(ExportRow)
const readLines = rowReader(
  Schema.Struct({ state: ExportState, lines: Schema.NullOr(Schema.String), hasNext: Schema.Boolean })
)

/** Rows of exports and the parts of their files. */
export class ExportRepository extends Context.Service<ExportRepository>()("layers/exports/ExportRepository", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const json = sql`
      json_build_object(
        'id', id, 'kind', kind, 'format', format, 'state', state, 'exported', exported, 'bytes', bytes, 'failure', failure,
        'createdAt', ${time("created_at")}, 'finishedAt', ${time("finished_at")}
      )::text as json
    `

    const deleteParts = Effect.fn("ExportRepository.deleteParts")(function* (store: StoreId, id: ExportId) {
      yield* sql`delete from export_parts where store_id = ${store} and export_id = ${id}`
    }, orDefect)

    return {
      deleteParts,

      /** Lists the states of all exports, oldest first. */
      listStates: Effect.fn("ExportRepository.listStates")(
        (store: StoreId) => readStates(sql`select id, state from exports where store_id = ${store} order by id`),
        orDefect
      ),

      insert: Effect.fn("ExportRepository.insert")(function* (
        store: StoreId,
        { format = "jsonl", kind, where = {} }: ExportContent
      ) {
        const inserted = yield* readInserted(sql`
          insert into exports (store_id, id, kind, format, filter, state, created_at)
          values (${store}, uuid_v7(clock_micros()), ${kind}, ${format}, ${JSON.stringify(where)}, 'running',
            statement_timestamp())
          returning ${json}
        `)
        return inserted.json
      }, orDefect),

      get: Effect.fn("ExportRepository.get")(function* (store: StoreId, id: ExportId) {
        const found = yield* readExport(sql`select ${json} from exports where store_id = ${store} and id = ${id}`)
        return Option.isSome(found) ? found.value.json : yield* new ExportNotFound({ id })
      }, orDefect),

      /** Returns the state and the content. The filter was validated when it was stored. */
      getContent: Effect.fn("ExportRepository.getContent")(function* (store: StoreId, id: ExportId) {
        return yield* readContent(sql`
          select state, json_build_object('kind', kind, 'format', format, 'where', filter::json)::text as content
          from exports where store_id = ${store} and id = ${id}
        `)
      }, orDefect),

      listPage: Effect.fn("ExportRepository.listPage")(
        (store: StoreId, { cursor, limit }: PageRequest<ExportId>) =>
          readPage(
            selectPage(
              sql,
              sql`select id, ${json} from exports where store_id = ${store} and id < ${cursor ?? END}`,
              limit,
              "desc"
            )
          ),
        orDefect
      ),

      /** Stores a part of the file, with the rows and bytes of all parts. */
      insertPart: Effect.fn("ExportRepository.insertPart")(function* (
        store: StoreId,
        id: ExportId,
        part: { readonly index: number; readonly lines: string; readonly exported: number; readonly bytes: number }
      ) {
        yield* sql`
          insert into export_parts (store_id, export_id, index, lines)
          values (${store}, ${id}, ${part.index}, ${part.lines})
        `
        yield* sql`
          update exports set exported = ${part.exported}, bytes = ${part.bytes} where store_id = ${store} and id = ${id}
        `
      }, orDefect),

      /** Reads a part, which is empty after the last one. */
      readPart: Effect.fn("ExportRepository.readPart")(function* (store: StoreId, id: ExportId, index: number) {
        const found = yield* readLines(sql`
          select e.state, p.lines, exists (
            select from export_parts n where n.store_id = e.store_id and n.export_id = e.id and n.index > ${index}
          ) as "hasNext"
          from exports e
          left join export_parts p on p.store_id = e.store_id and p.export_id = e.id and p.index = ${index}
          where e.store_id = ${store} and e.id = ${id}
        `)
        if (Option.isNone(found)) return yield* new ExportNotFound({ id })
        const { hasNext, lines, state } = found.value
        if (state !== "finished") return yield* new ExportNotFinished({ state })
        return { lines: lines ?? "", nextPart: hasNext ? index + 1 : null }
      }, orDefect),

      /** Ends an export. Only a finished one keeps its parts. */
      finish: Effect.fn("ExportRepository.finish")(function* (
        store: StoreId,
        id: ExportId,
        state: Exclude<ExportState, "running">,
        failure: string | null
      ) {
        yield* sql`
          update exports set state = ${state}, failure = ${failure}, finished_at = statement_timestamp()
          where store_id = ${store} and id = ${id}
        `
        if (state !== "finished") yield* deleteParts(store, id)
      }, orDefect),

      delete: Effect.fn("ExportRepository.delete")(function* (store: StoreId, id: ExportId) {
        yield* sql`delete from exports where store_id = ${store} and id = ${id}`
      }, orDefect),

      /** Deletes an expired export with its parts, of which there can be many. Returns how many it deleted. */
      deleteExpired: Effect.fn("ExportRepository.deleteExpired")(
        () =>
          rowCount(sql`
            with expired as (
              select store_id, id from exports
              where finished_at < now() - interval '${constant(KEPT_HOURS)} hours' and not ${isMoving("exports")}
              order by finished_at limit 1 for update skip locked
            )
            delete from exports e using expired where e.store_id = expired.store_id and e.id = expired.id
          `),
        orDefect
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
