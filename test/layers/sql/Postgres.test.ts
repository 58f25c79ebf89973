import { assert, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { freshDatabase } from "../../support/postgres/Postgres.ts"

/** Returns the statements that remain prepared after a session has run the given ones. */
const preparedBy = (url: Redacted.Redacted, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const text of texts) yield* sql.unsafe(text, [1])
    return yield* sql<{ readonly statement: string }>`
      select statement from pg_prepared_statements where statement not like '%pg_prepared_statements%'
    `
  }).pipe(Effect.provide(postgres({ url, maxConnections: 1 })))

it.live("a session keeps the last 400 statements prepared and prepares none over 20,000 characters", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const many = Array.from({ length: 420 }, (_, n) => `select $1::integer as column_${n}`)
    const prepared = yield* preparedBy(url, many)
    assert.isAtMost(prepared.length, 400)
    assert.isAtLeast(prepared.length, 398)
    const [short, long] = ["select $1::integer as short", `select $1::integer as long -- ${"-".repeat(20_000)}`]
    assert.deepStrictEqual(yield* preparedBy(url, [short, long]), [{ statement: short }])
  })
)
