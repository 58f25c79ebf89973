import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { JsonText } from "../../domain/json/Document.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { FieldVisibility, RecordsRequest } from "../../domain/records/Records.ts"
import type { QueryPageRequest } from "../../domain/Query.ts"
import type { StoreId } from "../../domain/Store.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { completeMarked, documentText, type DocumentText } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { START } from "../sql/Pages.ts"
import { type ListQuery, makeQueries, type SortKey } from "../sql/Queries.ts"
import { findJson, rowsReader } from "../sql/Rows.ts"
import { constant, type Fragment, sql as fragment, type Statement } from "../sql/Statement.ts"
import { traced } from "../telemetry/Traced.ts"

type Table = "orders" | "customers"

/** Table of a kind of record, its codec and its personal members. */
export interface RecordTable {
  readonly table: Table
  readonly document: DocumentText
  readonly personal: ReadonlyArray<string>
}

/** Maximum number of changed records that a page sorts by id; with more, it walks through all records by id. */
const MAX_SORTED = 2000

/** Document and personal members of a record, each as JSON. */
export interface StoredRecord {
  readonly document: JsonText
  readonly personal: JsonText
}

/**
 * Splits a record into its document and its personal members. `before` is the stored record, whose personal members may be
 * more than this release knows.
 */
export const splitRecord = <R extends object>(
  record: R,
  personal: ReadonlyArray<string>,
  before?: StoredRecord
): StoredRecord => {
  const isPersonal = new Set([...personal, ...(before === undefined ? [] : Object.keys(parseMembers(before.personal)))])
  const members = Object.entries(record)
  return {
    document: JSON.stringify(Object.fromEntries(members.filter(([name]) => !isPersonal.has(name)))),
    personal: JSON.stringify(Object.fromEntries(members.filter(([name]) => isPersonal.has(name))))
  }
}

/** New or changed record, and the time of the change in microseconds of the store's clock. */
export interface WrittenRecord extends StoredRecord {
  readonly changedAt: number
}

/** Text of the document of a row, and of its personal members. */
export const DOCUMENT = "opening || '}'"
export const PERSONAL = "'{' || substr(personal, 2)"

const VISIBLE = fragment.literal(`(${DOCUMENT})::json`)

/** Member of the document, as text. */
export const visible = (member: string): Fragment => fragment`(${VISIBLE} ->> '${fragment.literal(member)}')`

/** Sort key of a text that ignores case, of a number, and of the time of the last change. */
export const textKey = (member: string): SortKey => ({
  value: fragment`lower(${visible(member)}) collate "C"`,
  type: "text"
})
export const numberKey = (member: string): SortKey => ({
  value: fragment`${visible(member)}::numeric`,
  type: "numeric"
})
export const CHANGED_KEY: SortKey = { value: fragment`changed_at`, type: "numeric" }

/** Columns that are read, and the JSON text and the size that they make. */
const columnsOf = ({ document, personal }: RecordTable, { isPersonal }: FieldVisibility) =>
  isPersonal
    ? {
        columns: fragment`opening, personal, bytes, personal_bytes, schema_hash`,
        text: documentText(document, fragment`opening || personal`),
        bytes: fragment`bytes + personal_bytes`
      }
    : {
        columns: fragment`opening, bytes, schema_hash`,
        text: documentText(
          document,
          fragment.literal(`opening || ',${personal.map((member) => `"${member}":null`).join(",")}}'`)
        ),
        bytes: fragment`bytes`
      }

const readRecords = rowsReader(Schema.Struct({ id: Schema.String, document: Schema.String, personal: Schema.String }))

/**
 * Queries of orders and customers: both are a document with its personal members in a column of their own, which is read
 * only with the permission to see them. Writes run under the lock of the store.
 */
export class RecordRepository extends Context.Service<RecordRepository>()("layers/records/RecordRepository", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const query = yield* makeQueries

    const allRows = (table: Table, store: StoreId, cursor: string) =>
      sql`${sql(table)} where store_id = ${store} and id > ${cursor}`

    /**
     * Records that changed since a time, found in the faster of two ways: up to {@link MAX_SORTED} by their time, then sorted
     * by id; more by walking through all records in the order of their ids.
     */
    const changedRows = (table: Table, store: StoreId, cursor: string, sinceMicros: number, limit: number) => sql`(
      with few as materialized (
        select id from ${sql(`changed_${table}`)}(${store}, ${sinceMicros}, ${constant(MAX_SORTED + 1)}) as id
      ), next as materialized (
        (
          select id from few where id > ${cursor} and (select count(*) from few) <= ${constant(MAX_SORTED)}
          order by id limit ${limit} + 1
        ) union all (
          select id from ${sql(`later_${table}`)}(${store}, ${cursor}, ${sinceMicros}, ${limit} + 1) as id
          where (select count(*) from few) > ${constant(MAX_SORTED)}
        )
      )
      select record.* from next, lateral (
        -- offset 0: each record is looked up by its key. As a join, PostgreSQL could scan all records of the store.
        select * from ${sql(table)} r where r.store_id = ${store} and r.id = next.id offset 0
      ) as record
    ) as changed`

    return {
      /** Makes the statement that selects a page. */
      pageStatement: <Id extends string>(kind: RecordTable, store: StoreId, request: RecordsRequest<Id>): Statement => {
        const { table } = kind
        const { cursor = START, limit, updatedSince } = request
        const { bytes, columns, text } = columnsOf(kind, request)
        const rows =
          updatedSince === undefined
            ? allRows(table, store, cursor)
            : changedRows(table, store, cursor, Date.parse(updatedSince) * 1000, limit)
        return sql`
          with page as (
            select id, ${columns},
              count(*) over before < ${limit} and coalesce(sum(${bytes}) over before, 0) < ${PAGE_BYTES} as fits
            from ${rows} window before as (order by id rows between unbounded preceding and 1 preceding)
            order by id limit (select ${limit}::integer) + 1
          )
          select
            '[' || coalesce(string_agg(${text}, ',' order by id) filter (where fits), '') || ']' as items,
            case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
          from page
        `
      },

      /** Reads a page of a query. `fields` are its filter and sort order. */
      queryPage: traced("RecordRepository.queryPage")(
        (
          kind: RecordTable,
          store: StoreId,
          {
            candidates,
            conditions,
            keys,
            request,
            sort
          }: Pick<ListQuery, "candidates" | "conditions" | "keys" | "request" | "sort">,
          page: QueryPageRequest,
          visibility: FieldVisibility
        ) => {
          const { document, table } = kind
          const { bytes, text } = columnsOf(kind, visibility)
          return query(
            {
              table: fragment.literal(table),
              name: fragment.literal(table),
              store,
              conditions,
              candidates,
              isIndexed: false,
              sort,
              keys,
              request: { ...visibility, request },
              item: fragment`
                select ${text} as json, ${bytes} as bytes from ${fragment.literal(table)} r
                where r.store_id = ${store}::uuid and r.id = page.id
              `,
              document
            },
            page
          )
        },
        orDefect
      ),

      /** Returns the complete document of a record. */
      findById: traced("RecordRepository.findById")(
        (kind: RecordTable, store: StoreId, id: string, visibility: FieldVisibility) => {
          const { text } = columnsOf(kind, visibility)
          const found = findJson(
            sql`select ${text} as json from ${sql(kind.table)} where store_id = ${store} and id = ${id}`
          )
          return Effect.map(
            found,
            Option.map((json) => completeMarked(kind.document, json))
          )
        },
        orDefect
      ),

      /** Returns the records with these ids. */
      findByIds: traced("RecordRepository.findByIds")(function* (
        table: Table,
        store: StoreId,
        ids: ReadonlyArray<string>
      ): Effect.fn.Return<ReadonlyMap<string, StoredRecord>, SqlError.SqlError | Schema.SchemaError> {
        if (ids.length === 0) return new Map()
        const rows = yield* readRecords(sql`
          select record.* from unnest(${plainArray(ids)}::uuid[]) as wanted (id), lateral (
            select id, ${sql.literal(DOCUMENT)} as document, ${sql.literal(PERSONAL)} as personal from ${sql(table)} r
            where r.store_id = ${store} and r.id = wanted.id offset 0
          ) as record
        `)
        return new Map(rows.map(({ id, ...stored }) => [id, stored]))
      }, orDefect),

      /** Makes the statements that write records by their ids: none or one. */
      upsertStatements: (
        { document: { schemaHash }, table }: RecordTable,
        store: StoreId,
        records: ReadonlyMap<string, WrittenRecord>
      ): ReadonlyArray<Statement> => {
        if (records.size === 0) return []
        const rows = [...records].map(
          ([id, { changedAt, document, personal }]) =>
            `{"id":"${id}","changedAt":${changedAt},"document":${document},"personal":${personal}}`
        )
        return [
          sql`
            insert into ${sql(table)} (store_id, id, changed_at, opening, personal, schema_hash, bytes, personal_bytes)
            select
              ${store}::uuid, id, "changedAt", cut.opening, cut.personal, ${constant(schemaHash)}, octet_length(cut.opening),
              octet_length(cut.personal)
            from json_to_recordset(${`[${rows.join(",")}]`}::json)
                as record (id uuid, "changedAt" bigint, document json, personal json),
              lateral (select left(document::text, -1), ',' || substr(record.personal::text, 2)) as cut (opening, personal)
            on conflict (store_id, id) do update
            set changed_at = excluded.changed_at, opening = excluded.opening, personal = excluded.personal,
              schema_hash = excluded.schema_hash,
              bytes = excluded.bytes, personal_bytes = excluded.personal_bytes
          `
        ]
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
