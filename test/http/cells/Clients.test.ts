import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { CellsTest, inCell, NORTH } from "../../support/cells/CellsTest.ts"
import { arriveDuring, withoutCopies } from "../../support/cells/LateCopies.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { makePoster, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("OAuth clients in a cell", (it) => {
  it.effect("a wrong client secret is refused without a wait", () =>
    Effect.gen(function* () {
      const { app } = yield* inCell(NORTH, scene())
      const wrong = { clientId: app.clientId, secret: Redacted.make("wrong") }
      const revoke = Effect.flatMap(Grants, ({ revoke }) => revoke(wrong, Redacted.make("any")))
      // The time of the test clock stands still, so a wait would not end.
      const refused = Effect.flip(revoke).pipe(Effect.provide(TestClock.layer()), Effect.timeout("20 seconds"))
      const { _tag } = yield* inCell(NORTH, refused)
      assert.strictEqual(_tag, "InvalidClient")
    })
  )

  it.effect("a client secret that main has and the cell has not works as soon as it arrives", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { agree, app } = yield* inCell(NORTH, scene())
      const form = yield* inCell(NORTH, agree(app))
      yield* withoutCopies
      const { rotateSecret } = yield* Apps
      const { secret } = yield* rotateSecret(app.appId, 0)

      const client = { clientId: app.clientId, secret: Redacted.value(secret) }
      const exchanged = yield* arriveDuring("client_secrets", makePoster(base, client).token(form))
      assert.isString(tokensOf(exchanged).access_token)
    }).pipe(Effect.scoped)
  )
})
