import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"
import { makeMigratedDatabase, runNode } from "../../support/process/Process.ts"

it.live("a database that does not respond fails the start", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const proxy = yield* wayTo(url)
    proxy.freeze()
    const { code, stderr } = yield* runNode("main", [], { DATABASE_URL: proxy.url, PORT: "0" })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: [^\n]*\. The host does not respond: [^\n]*\n$/)
  })
)
