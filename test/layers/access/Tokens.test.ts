import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { RateLimitLive } from "../../../src/layers/rateLimit/RateLimit.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeInstallation } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { performIn, suspend } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, RateLimitLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

const UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

const unknownInstallation = Schema.decodeSync(InstallationId)(UNKNOWN_ID)

const installed = makeInstallation({ scopes: ["read_products", "write_products"] })

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Tokens", (it) => {
  it.effect("a token has 256 random bits, is valid for an hour, and only its SHA-256 is stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issue } = yield* Tokens
      const installation = yield* installed
      const { expiresAt, token } = yield* issue(installation)
      const text = Redacted.value(token)
      assert.match(text, /^pa_[A-Za-z0-9_-]{70}$/)
      assert.notStrictEqual(Redacted.value((yield* issue(installation)).token), text)
      const hash = createHash("sha256").update(text).digest("hex")
      const rows = yield* sql<{ readonly row: string; readonly seconds: number }>`
        select t::text as row, extract(epoch from expires_at - clock_timestamp())::float8 as seconds
        from access_tokens t where encode(token_hash, 'hex') = ${hash}
      `
      assert.lengthOf(rows, 1)
      assert.notInclude(rows[0]?.row ?? text, text)
      assert.approximately(rows[0]?.seconds ?? 0, 3600, 30)
      const [clock] = yield* sql<{ readonly now: Date }>`select clock_timestamp() as now`
      assert.approximately(DateTime.toEpochMillis(expiresAt), (clock?.now.getTime() ?? 0) + 3_600_000, 30_000)
      assert.notInclude(String(token), text)
    })
  )

  it.effect("purge deletes expired tokens only, at most 1,000 at a time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issue, purge } = yield* Tokens
      yield* sql`delete from access_tokens`
      const installation = yield* installed
      const { id, storeId } = installation
      yield* sql`
        insert into access_tokens (token_hash, store_id, installation_id, expires_at)
        select sha256(n::text::bytea), ${storeId}, ${id}, now() - n * interval '1 second' from generate_series(0, 1499) n
      `
      yield* issue(installation)
      assert.deepStrictEqual([yield* purge, yield* purge, yield* purge], [1000, 500, 0])
      const left = yield* sql`select expires_at > now() as live from access_tokens`
      assert.deepStrictEqual(left, [{ live: true }])
    })
  )

  it.effect("issue fails for suspended, uninstalled and unknown installations", () =>
    Effect.gen(function* () {
      const { find, resume } = yield* Installations
      const { issue } = yield* Tokens
      const stores = yield* Stores
      const { admit } = yield* RateLimit
      const installation = yield* installed
      const { id, storeId, ...granted } = installation
      const perform = yield* performIn(storeId)
      assert.deepInclude(yield* find(id), { installationId: id, storeId, ...granted, state: "active" })
      const { token } = yield* issue(installation)
      assert.deepInclude(yield* admit(token), installation)
      yield* suspend(installation)
      const error = yield* Effect.flip(issue(installation))
      assert.strictEqual(error.message, "The installation is suspended; a member of the store can resume it")
      assert.strictEqual((yield* find(id)).state, "suspended")
      yield* perform(resume(storeId, id))
      assert.deepInclude(yield* admit(token), installation)
      assert.strictEqual((yield* Effect.flip(issue({ id: unknownInstallation, storeId })))._tag, "InstallationNotFound")
      yield* stores.delete(storeId)
      for (const none of [id, unknownInstallation])
        assert.strictEqual((yield* Effect.flip(find(none)))._tag, "InstallationNotFound")
    })
  )

  it.effect("revoke rejects all tokens of an installation immediately; later ones are valid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issue, revoke } = yield* Tokens
      const { admit } = yield* RateLimit
      const [installation, other] = [yield* installed, yield* installed]
      const tokens = [yield* issue(installation), yield* issue(installation), yield* issue(installation)]
      const { token: otherToken } = yield* issue(other)
      const expired = createHash("sha256")
        .update(Redacted.value(tokens[2]?.token ?? otherToken))
        .digest()
      yield* sql`update access_tokens set expires_at = now() where token_hash = ${expired}`
      assert.strictEqual(yield* revoke(installation.id), 2)
      for (const { token } of tokens) assert.strictEqual((yield* Effect.flip(admit(token)))._tag, "InvalidToken")
      assert.strictEqual((yield* admit(otherToken)).id, other.id)
      assert.strictEqual(yield* revoke(installation.id), 0)
      assert.strictEqual((yield* admit((yield* issue(installation)).token)).id, installation.id)
      assert.strictEqual((yield* Effect.flip(revoke(unknownInstallation)))._tag, "InstallationNotFound")
    })
  )
})
