import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { makeClient, pageOf } from "../../support/http/Api.ts"
import { setDefaultLevel } from "../../support/postgres/OnServer.ts"
import { pooler } from "../../support/postgres/Pgbouncer.ts"
import { connection, makeEmptyDatabase, rowsOf, runNode, waitUntil } from "../../support/process/Process.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { makeSubscribers, auditReceiver, listening, startSender } from "../../support/process/Workers.ts"

/** Tests with pgbouncer in transaction mode. Skipped without pgbouncer. */
const behindPooler = it.live.skipIf(isMissing("pgbouncer"))

const modes = [
  ["without prepared statements", isMissing("pgbouncer"), {}, {}],
  [
    "with prepared statements",
    isMissing("pgbouncer 1.21"),
    { DATABASE_PREPARE: "true" },
    { max_prepared_statements: 500 }
  ]
] as const

for (const [mode, isSkipped, variables, settings] of modes) {
  it.live.skipIf(isSkipped)(`two servers with 20 connections share two sessions of a pooler, ${mode}`, () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeEmptyDatabase
      const poolerUrl = yield* pooler(url, settings)
      const environment = { DATABASE_URL: poolerUrl, DATABASE_DIRECT_URL: url, DATABASE_POOL_SIZE: "20", ...variables }
      const servers = [yield* startSender(environment), yield* startSender(environment)]
      const endpoint = yield* receiver()
      const { tokens } = yield* makeSubscribers(url, endpoint, 2, 8)
      yield* listening(client, 2)

      yield* Effect.forEach(
        tokens,
        Effect.fn(function* (token, writer) {
          const [firstBase = "", secondBase = ""] = servers.map(({ base }) => base)
          for (let n = 0; n < 15; n++) {
            const [one, other] = [
              makeClient(n % 2 === 0 ? firstBase : secondBase, token),
              makeClient(secondBase, token)
            ]
            const body = { name: `Cup ${writer} ${n}`, price: n }
            const [created, repeated, read] = yield* Effect.all(
              [
                one.post("/products", body, { key: `${n}` }),
                other.post("/products", body, { key: `${n}` }),
                one.get("/products?limit=5")
              ],
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(
              [created.status, repeated.status, read.status],
              [201, 201, 200],
              created.text + read.text
            )
            assert.strictEqual(created.text, repeated.text)
            assert.isAtMost(pageOf(read).items.length, 5)
          }
        }),
        { concurrency: "unbounded", discard: true }
      )

      assert.deepInclude(yield* auditReceiver(client, endpoint), { due: 2 * 8 * 15, lost: [], duplicates: 0 })
      yield* waitUntil(
        rowsOf(
          client,
          `select 1 from pg_stat_activity
           where datname = current_database() and application_name = 'partner-api' and query not ilike 'listen%'`
        ),
        (sessions) => sessions.length === 2
      )
      for (const { output } of servers) assert.strictEqual(output.stderr, "")
    })
  )
}

behindPooler("clients that share sessions never run each other's prepared statements", () =>
  Effect.gen(function* () {
    const { url } = yield* makeEmptyDatabase
    const poolerUrl = yield* pooler(url)
    const pool = postgres({ url: Redacted.make(poolerUrl), directUrl: Redacted.make(url), maxConnections: 1 })
    const client = Effect.map(Layer.build(Layer.fresh(pool)), Context.get(SqlClient.SqlClient))
    const [mine, others] = [yield* client, yield* client]
    const holder = yield* connection(poolerUrl)
    const prepares = others.unsafe("select $1::integer as others", [1])
    const expected = [{ mine: 1 }]
    const selectMine = Effect.option(mine.unsafe("select $1::integer as mine", [1]))

    // The pooler assigns the last used session, or the other one while a transaction holds the first.
    yield* rowsOf(holder, "begin")
    yield* prepares
    yield* rowsOf(holder, "commit")
    assert.deepStrictEqual(yield* selectMine, Option.some(expected))
    yield* rowsOf(holder, "begin")
    const afterwards = yield* selectMine
    yield* rowsOf(holder, "commit")
    assert.deepStrictEqual(
      Option.getOrElse(afterwards, () => expected),
      expected
    )
  })
)

/** Pooler settings that fail the start, and their error lines. */
const rejections = [
  [
    "rejects timeouts as startup parameters",
    {},
    false,
    /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: unsupported startup parameter: \w+\. The server is a pooler/
  ],
  [
    "is configured to ignore timeouts as startup parameters",
    { ignore_startup_parameters: "statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options" },
    false,
    /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: no timeout, or too long a one, for idle_in_transaction_session_timeout, lock_timeout, statement_timeout; enable_seqscan is on and jit is on\. /
  ],
  [
    "has no timeouts of its own",
    {},
    true,
    /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: no timeout, or too long a one, for idle_in_transaction_session_timeout, /
  ]
] as const

for (const [what, settings, isDirect, line] of rejections) {
  behindPooler(`a pooler that ${what} fails the start with one line`, () =>
    Effect.gen(function* () {
      const { url } = yield* makeEmptyDatabase
      const poolerUrl = yield* pooler(url, settings, false)
      const environment = { DATABASE_URL: poolerUrl, ...(isDirect ? { DATABASE_DIRECT_URL: url } : {}) }
      const { code, stderr } = yield* runNode("main", [], environment)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr, line)
    })
  )
}

behindPooler("a pooler whose sessions have another isolation level fails the start with one line", () =>
  Effect.gen(function* () {
    const { url } = yield* makeEmptyDatabase
    yield* setDefaultLevel(url, "repeatable read")
    const environment = { DATABASE_URL: yield* pooler(url), DATABASE_DIRECT_URL: url }
    const { code, stderr } = yield* runNode("main", [], environment)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^[^\n]+\n$/)
    assert.match(stderr, /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: .*repeatable read/)
  })
)
