import { assert, it } from "@effect/vitest"
import { Effect, type Redacted, Schema } from "effect"
import { hash } from "node:crypto"
import { Database, postgres } from "../../../src/layers/database/Postgres.ts"
import { statement } from "../../../src/layers/database/Statement.ts"
import { freshDatabase } from "../../support/Postgres.ts"

const Prepared = Schema.Struct({ name: Schema.String, statement: Schema.String })
const selectPrepared = statement(
  "select name, statement from pg_prepared_statements where statement not like '%pg_prepared_statements%'"
)

/** What a session holds prepared when a process has run the statements, in their order. */
const preparedBy = (url: Redacted.Redacted, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { count, rows } = yield* Database
    for (const text of texts) yield* count(statement(text)(1))
    return yield* rows(Prepared)(selectPrepared())
  }).pipe(Effect.provide(postgres({ url, maxConnections: 1 })))

const one = "select $1::integer as one"
const two = "select $1::integer as two"

it.live("a statement has the same name in every process, whatever ran before it, and no other has it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const forth = yield* preparedBy(url, [one, two, one])
    const back = yield* preparedBy(url, [two, one])
    const expected = [one, two].map((text) => ({ name: `p${hash("sha256", text).slice(0, 32)}`, statement: text }))
    assert.sameDeepMembers([...forth], expected)
    assert.sameDeepMembers([...back], expected)
  })
)

it.live("a session keeps 500 statements prepared, and a million characters of them, and runs all others", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const many = Array.from({ length: 520 }, (_, n) => `select $1::integer as column_${n}`)
    assert.lengthOf(yield* preparedBy(url, many), 500)
    const long = Array.from({ length: 6 }, (_, n) => `select $1::integer as long_${n} -- ${"-".repeat(200_000)}`)
    assert.lengthOf(yield* preparedBy(url, long), 4)
  })
)
