import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import type { Answer } from "../http/Api.ts"

const Entries = Schema.Struct({
  entries: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  nextCursor: Schema.NullOr(Schema.String)
})

/** Entries of a response with a list. */
export const entriesOf = ({ json }: Answer) => Schema.decodeUnknownSync(Entries)(json)

/** Keys of the entries of a response with a list. */
export const keysOf = (answer: Answer) => entriesOf(answer).entries.map(({ key }) => key)

type Owner = Pick<Installation, "id" | "storeId">

/** Adds entries with a total size, in addition to the test's own. Their values are shorter than the stored size. */
export const fillAppData = ({ id, storeId }: Owner, entries: number, bytes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      with filled as (
        insert into app_data (store_id, installation_id, namespace, key, value, bytes, created_at, updated_at)
        select ${storeId}, ${id}, 'filled', 'key-' || n, '1',
          ${bytes}::integer / ${entries} + case n when 1 then ${bytes}::integer % ${entries} else 0 end, now(), now()
        from generate_series(1, ${entries}::integer) n returning bytes
      )
      insert into app_data_usage (store_id, installation_id, entries, bytes)
      select ${storeId}, ${id}, count(*), coalesce(sum(bytes), 0) from filled
    `
  )

/** Ages the entries by seconds, except those of {@link fillAppData}. */
export const passTime = ({ id, storeId }: Owner, seconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update app_data set
        created_at = created_at - ${seconds} * interval '1 second',
        updated_at = updated_at - ${seconds} * interval '1 second',
        expires_at = expires_at - ${seconds} * interval '1 second'
      where store_id = ${storeId} and installation_id = ${id} and namespace <> 'filled'
    `
  )

/** Recorded and actual usage of an installation. */
export const usageOf = ({ id, storeId }: Owner) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly entries: number; readonly bytes: number; readonly isRight: boolean }>`
      select u.entries, u.bytes, (u.entries, u.bytes) = (
        select count(*), coalesce(sum(bytes), 0) from app_data d
        where d.store_id = u.store_id and d.installation_id = u.installation_id
      ) as "isRight"
      from app_data_usage u where store_id = ${storeId} and installation_id = ${id}
    `
  )
