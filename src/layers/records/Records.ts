import { Effect, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { DocumentPage, JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { RecordsRequest, FieldVisibility } from "../../domain/records/Records.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { answerOf, type Step } from "../sql/Plan.ts"
import { constant, type Fragment, sql, type Statement } from "../sql/Statement.ts"
import { listOf } from "../Lists.ts"
import { pageOf, START } from "../Pages.ts"

/*
 * SQL for orders and customers, which are alike: a document, and what is personal of it in a column of its own.
 */

export type Table = "orders" | "customers"

/** Records that a page looks at one by one when it is asked for those that have changed. */
const FEW = 2000

const allRows = (table: Table, store: StoreId, cursor: string) =>
  sql`${sql(table)} where store_id = ${store} and id > ${cursor}`

/**
 * Those that have changed since a time, by the shorter of two ways. Few are found by their time and sorted by id. Many are
 * met on the way by id soon enough; by their time all of them would be looked at again for every page.
 */
const changedRows = (table: Table, store: StoreId, cursor: string, sinceMicros: number, limit: number) => sql`(
  with few as materialized (
    select id from ${sql(`changed_${table}`)}(${store}, ${sinceMicros}, ${constant(FEW + 1)}) as id
  ), behind as materialized (
    (
      select id from few where id > ${cursor} and (select count(*) from few) <= ${constant(FEW)}
      order by id limit ${limit} + 1
    ) union all (
      select id from ${sql(`later_${table}`)}(${store}, ${cursor}, ${sinceMicros}, ${limit} + 1) as id
      where (select count(*) from few) > ${constant(FEW)}
    )
  )
  select found.* from behind, lateral (
    -- Each by itself: as a join it could go through all that the store has.
    select * from ${sql(table)} r where r.store_id = ${store} and r.id = behind.id offset 0
  ) as found
) as changed`

/** Columns of a record that are read, and the JSON text that they make. */
interface Part {
  readonly columns: Fragment
  readonly text: Fragment
  readonly bytes: Fragment
}

const selectPage = ({ bytes, columns, text }: Part, rows: Fragment, limit: number) => sql`
  with page as (
    select id, ${columns},
      count(*) over before < ${limit} and coalesce(sum(${bytes}) over before, 0) < ${PAGE_BYTES} as fits
    from ${rows} window before as (order by id rows between unbounded preceding and 1 preceding)
    order by id limit ${limit} + 1
  )
  select
    '[' || coalesce(string_agg(${text}, ',' order by id) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
  from page
`

/** Reads records, a page of them or one. Without the right to it, what is personal is not even read. */
export const makeReads = <Id extends string>(
  database: DatabaseOf,
  table: Table,
  id: Schema.Codec<Id, string>,
  personal: ReadonlyArray<string>
) => {
  const masked = personal.map((member) => `"${member}":null`).join(",")
  const full: Part = {
    columns: sql`opening, personal, bytes, personal_bytes`,
    text: sql`opening || personal`,
    bytes: sql`bytes + personal_bytes`
  }
  const impersonal: Part = {
    columns: sql`opening, bytes`,
    text: sql.literal(`opening || ',${masked}}'`),
    bytes: sql`bytes`
  }
  const partOf = ({ isPersonal }: FieldVisibility) => (isPersonal ? full : impersonal)
  const pageIn = pageOf(database, id)
  const jsonOf = database.first(Schema.Struct({ json: Schema.String }))

  return {
    page: (store: StoreId, request: RecordsRequest<Id>): Effect.Effect<DocumentPage<Id>> => {
      const { cursor = START, limit, updatedSince } = request
      const rows =
        updatedSince === undefined
          ? allRows(table, store, cursor)
          : changedRows(table, store, cursor, Date.parse(updatedSince) * 1000, limit)
      return pageIn(selectPage(partOf(request), rows, limit))
    },

    read: (store: StoreId, id: Id, shown: FieldVisibility): Effect.Effect<Option.Option<JsonText>> =>
      Effect.map(
        jsonOf(sql`select ${partOf(shown).text} as json from ${sql(table)} where store_id = ${store} and id = ${id}`),
        Option.map(({ json }) => json)
      )
  }
}

/** A record as it stands in its row. */
export interface Stored {
  readonly document: JsonText
  readonly personal: JsonText
}

/** The columns of a record, of which some members are personal. */
export const storedOf = <R extends object>(record: R, personal: ReadonlyArray<keyof R>): Stored => ({
  document: stringify(Struct.omit(record, [...personal])),
  personal: stringify(Struct.pick(record, [...personal]))
})

/** The two parts of a row, each as JSON. */
export const DOCUMENT = sql`opening || '}'`
export const PERSONAL = sql`'{' || substr(personal, 2)`

const selectRows = (table: Table, store: StoreId, ids: string) => sql`
  select found.* from unnest(${ids}::uuid[]) as wanted (id), lateral (
    select id, ${DOCUMENT} as document, ${PERSONAL} as personal from ${sql(table)} r
    where r.store_id = ${store} and r.id = wanted.id offset 0
  ) as found
`

const decodeRows = compileTrustedDecoder(
  Schema.Array(Schema.Struct({ id: Schema.String, document: Schema.String, personal: Schema.String }))
)

/** Of these ids the records that there are. They change under the lock of the store alone. */
export const findRecords = Effect.fnUntraced(function* (
  table: Table,
  store: StoreId,
  ids: Iterable<string>
): Step<ReadonlyMap<string, Stored>> {
  const wanted = [...ids]
  if (wanted.length === 0) return new Map()
  const { rows } = yield* answerOf(selectRows(table, store, listOf(wanted)))
  return new Map(decodeRows(rows).map(({ id, ...stored }) => [id, stored]))
})

const writeRows = (table: Table, store: StoreId, rows: string) => sql`
  insert into ${sql(table)} (store_id, id, changed_at, opening, personal, bytes, personal_bytes)
  select
    ${store}::uuid, id, "changedAt", cut.opening, cut.personal, octet_length(cut.opening), octet_length(cut.personal)
  from json_to_recordset(${rows}::json) as given (id uuid, "changedAt" bigint, document json, personal json),
    lateral (select left(document::text, -1), ',' || substr(given.personal::text, 2)) as cut (opening, personal)
  on conflict (store_id, id) do update
  set changed_at = excluded.changed_at, opening = excluded.opening, personal = excluded.personal,
    bytes = excluded.bytes, personal_bytes = excluded.personal_bytes
`

/** A record that is new or has changed, and when: in microseconds of the store's clock. */
export interface Written extends Stored {
  readonly changedAt: number
}

/** Writes records by their ids; none where there are none. */
export const writesOf = (
  table: Table,
  store: StoreId,
  written: ReadonlyMap<string, Written>
): ReadonlyArray<Statement> => {
  if (written.size === 0) return []
  const rows = [...written].map(
    ([id, { changedAt, document, personal }]) =>
      `{"id":"${id}","changedAt":${changedAt},"document":${document},"personal":${personal}}`
  )
  return [writeRows(table, store, `[${rows.join(",")}]`)]
}
