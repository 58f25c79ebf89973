import { Effect, Schema } from "effect"
import type pg from "pg"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { millisOf } from "../../../src/domain/Uuid.ts"
import { partOf } from "../../../src/layers/journal/Journal.ts"
import { rowsOf } from "../process/Process.ts"

/*
 * A dump is JSON Lines, compressed: the rows of each table, then files of the object storage. pg_dump would have to be that
 * of the server's version, and would dump the schema, which migrations create.
 */

const Line = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ table: Schema.String, rows: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
    Schema.Struct({ file: Schema.String, base64: Schema.String })
  ])
)
const decodeLine = Schema.decodeUnknownSync(Line)
type Line = typeof Line.Type

/** All tables, with the partitioned ones in place of their partitions. */
const TABLES = `
  select c.oid::regclass::text as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'effect_sql_migrations'
  order by 1
`

/** Dumps all rows, and the files of a folder with these paths. */
export const dump = Effect.fnUntraced(function* (client: pg.Client, folder: string, files: ReadonlyArray<string>) {
  yield* rowsOf(client, "set timezone = 'UTC'")
  const lines: Array<string> = []
  for (const { name } of yield* rowsOf(client, TABLES)) {
    const [all] = yield* rowsOf(
      client,
      `select json_build_object('table', $1::text, 'rows', json_agg(row_to_json(t)))::text as line from ${String(name)} t
       having count(*) > 0`,
      [name]
    )
    if (all !== undefined) lines.push(JSON.stringify(JSON.parse(String(all["line"]))))
  }
  for (const file of files) {
    lines.push(JSON.stringify({ file, base64: readFileSync(join(folder, file)).toString("base64") } satisfies Line))
  }
  return lines.join("\n")
})

/** Tables whose ids contain the time from which age and partition are computed. Tokens and secrets are bound to other ids. */
const TIMED = new Set(["journal", "events"])

/** Time in ISO 8601, of a document or a column. */
const TIME = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|\+00:00)/g

const moveTime = (millis: number) => (_: string, seconds: string, fraction: string | undefined, zone: string) => {
  const digits = (fraction ?? "").slice(1)
  const moved = new Date(Date.parse(`${seconds}.${digits.padEnd(3, "0").slice(0, 3)}Z`) + millis).toISOString()
  // Microseconds stay.
  return `${moved.slice(0, 23)}${digits.slice(3)}${zone}`
}

const moveId = (id: string, millis: number) => {
  const time = (millisOf(id) + millis).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`
}

/**
 * Moves all times in a text, and the ids that contain the age of a row. Tokens, keys and entries of a release of two years
 * ago would have expired.
 */
const moveTimes = (text: string, ids: ReadonlyArray<string>, millis: number) => {
  const moved = new Map(ids.map((id) => [id, moveId(id, millis)]))
  return text
    .replaceAll(TIME, moveTime(millis))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => moved.get(id) ?? id)
}

/** Compresses a dump. */
export const pack = (text: string) => gzipSync(text, { level: 9 })

/** Reads a dump and a text with its ids as if they were made now, and not at `madeAt`. */
export const unpack = (packed: Buffer, text: string, madeAt: number) => {
  const dumped = gunzipSync(packed).toString("utf8")
  const ids = dumped.split("\n").flatMap((line) => {
    const decoded = decodeLine(line)
    return "table" in decoded && TIMED.has(decoded.table) ? decoded.rows.map(({ id }) => String(id)) : []
  })
  const millis = Date.now() - madeAt
  return {
    lines: moveTimes(dumped, ids, millis)
      .split("\n")
      .map((line) => decodeLine(line)),
    text: moveTimes(text, ids, millis)
  }
}

/** Tables with identities, each with the statement that continues their sequence after the highest row. */
const SEQUENCES = `
  select c.relname as table, format(
    'select setval(pg_get_serial_sequence(%L, %L), (select coalesce(max(%I), 0) + 1 from %I), false)',
    c.relname, a.attname, a.attname, c.relname
  ) as statement
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and a.attidentity <> '' and c.relkind in ('r', 'p')
`

/** Inserts the rows of a dump into a database with the schema of its release, and writes its files to the folder. */
export const load = Effect.fnUntraced(function* (client: pg.Client, lines: ReadonlyArray<Line>, folder: string) {
  yield* rowsOf(client, "begin")
  // The rows are as triggers left them, and name rows of tables that follow.
  yield* rowsOf(client, "set local session_replication_role = replica")
  const sequences = yield* rowsOf(client, SEQUENCES)
  // Triggers that run for replicated rows too insert rows with identities, so that those of the dump replace them at the end.
  const isLast = (name: string) => sequences.some(({ table }) => table === name)
  const dumped = lines.filter((line) => "table" in line)
  const tables = [...dumped.filter(({ table }) => !isLast(table)), ...dumped.filter(({ table }) => isLast(table))]
  yield* rowsOf(client, `truncate ${tables.map(({ table }) => table).join(", ")} cascade`)
  for (const { rows, table } of tables) {
    if (isLast(table)) yield* rowsOf(client, `delete from ${table}`)
    const values = table === "journal" ? rows.map((row) => ({ ...row, part: partOf(String(row["id"])) })) : rows
    yield* rowsOf(
      client,
      `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(values)]
    )
  }
  for (const { statement } of sequences) yield* rowsOf(client, String(statement))
  yield* rowsOf(client, "commit")
  yield* Effect.sync(() => {
    for (const line of lines) {
      if (!("file" in line)) continue
      const path = join(folder, line.file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, Buffer.from(line.base64, "base64"))
    }
  })
})
