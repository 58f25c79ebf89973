import { Effect, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { DocumentPage, JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { RecordsRequest, Shown } from "../../domain/records/Records.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { answerOf, type Step } from "../database/Plan.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { pageOf, pageQuery, START } from "../Pages.ts"

/*
 * SQL for orders and customers, which are alike: a document, and what is personal of it in a column of its own.
 */

export type Table = "orders" | "customers"

/** Records that a page looks at one by one when it is asked for those that have changed. */
const FEW = 2000

const allRows = (table: Table) => `${table} where store_id = $1 and id > $4`

/**
 * Those that have changed since `$5`, by the shorter of two ways. Few are found by their time and sorted by id. Many are
 * met on the way by id soon enough; by their time all of them would be looked at again for every page.
 */
const changedRows = (table: Table) => `(
  with few as materialized (
    select id from changed_${table}($1, $5, ${FEW + 1}) as id
  ), behind as materialized (
    (
      select id from few where id > $4 and (select count(*) from few) <= ${FEW}
      order by id limit $2 + 1
    ) union all (
      select id from later_${table}($1, $4, $5, $2 + 1) as id where (select count(*) from few) > ${FEW}
    )
  )
  select found.* from behind, lateral (
    -- Each by itself: as a join it could go through all that the store has.
    select * from ${table} r where r.store_id = $1 and r.id = behind.id offset 0
  ) as found
) as changed`

const partOf = ({ isPersonal }: Shown) => (isPersonal ? "full" : "masked")

/** Reads records, a page of them or one. Without the right to it, what is personal is not even read. */
export const makeReads = <Id extends string>(
  database: DatabaseOf,
  table: Table,
  id: Schema.Codec<Id, string>,
  personal: ReadonlyArray<string>
) => {
  const masked = personal.map((member) => `"${member}":null`).join(",")
  const shown = {
    full: {
      columns: "opening, personal, bytes, personal_bytes",
      text: "opening || personal",
      bytes: "bytes + personal_bytes"
    },
    masked: { columns: "opening, bytes", text: `opening || ',${masked}}'`, bytes: "bytes" }
  }
  const queries = (rows: string) => ({
    full: statement(pageQuery({ ...shown.full, rows })),
    masked: statement(pageQuery({ ...shown.masked, rows }))
  })
  const single = (text: string) => statement(`select ${text} as json from ${table} where store_id = $1 and id = $2`)
  const singles = { full: single(shown.full.text), masked: single(shown.masked.text) }
  const all = queries(allRows(table))
  const changed = queries(changedRows(table))
  const pageIn = pageOf(database, id)
  const jsonOf = database.first(Schema.Struct({ json: Schema.String }))

  return {
    page: (store: StoreId, request: RecordsRequest<Id>): Effect.Effect<DocumentPage<Id>> => {
      const { cursor, limit, updatedSince } = request
      const which = partOf(request)
      const values = [store, limit, PAGE_BYTES, cursor ?? START]
      return pageIn(
        updatedSince === undefined ? all[which](...values) : changed[which](...values, Date.parse(updatedSince) * 1000)
      )
    },

    read: (store: StoreId, id: Id, shown: Shown): Effect.Effect<Option.Option<JsonText>> =>
      Effect.map(
        jsonOf(singles[partOf(shown)](store, id)),
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
export const DOCUMENT = "opening || '}'"
export const PERSONAL = "'{' || substr(personal, 2)"

const selectRows = (table: Table) =>
  statement(`
    select found.* from unnest($2::uuid[]) as wanted (id), lateral (
      select id, ${DOCUMENT} as document, ${PERSONAL} as personal from ${table} r
      where r.store_id = $1 and r.id = wanted.id offset 0
    ) as found
  `)
const SELECT = { orders: selectRows("orders"), customers: selectRows("customers") }

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
  const { rows } = yield* answerOf(SELECT[table](store, `{${wanted.join(",")}}`))
  return new Map(decodeRows(rows).map(({ id, ...stored }) => [id, stored]))
})

const writeRows = (table: Table) =>
  statement(`
    insert into ${table} (store_id, id, changed_at, opening, personal, bytes, personal_bytes)
    select
      $1::uuid, id, "changedAt", cut.opening, cut.personal, octet_length(cut.opening), octet_length(cut.personal)
    from json_to_recordset($2::json) as given (id uuid, "changedAt" bigint, document json, personal json),
      lateral (select left(document::text, -1), ',' || substr(given.personal::text, 2)) as cut (opening, personal)
    on conflict (store_id, id) do update
    set changed_at = excluded.changed_at, opening = excluded.opening, personal = excluded.personal,
      bytes = excluded.bytes, personal_bytes = excluded.personal_bytes
  `)
const WRITE = { orders: writeRows("orders"), customers: writeRows("customers") }

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
  return [WRITE[table](store, `[${rows.join(",")}]`)]
}
