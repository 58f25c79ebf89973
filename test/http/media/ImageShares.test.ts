import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ApiTest, freshClient } from "../../support/http/Api.ts"
import { makePng, picture, upload } from "../../support/http/Files.ts"
import { waitUntil } from "../../support/process/Process.ts"

/** Uploads at once of the store with expensive pictures. */
const UPLOADS = 20

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Shares of the image workers", (it) => {
  it.effect("a small upload does not wait for the expensive pictures of another store", () =>
    Effect.gen(function* () {
      const [{ client: loud }, { client: quiet }] = [yield* freshClient(), yield* freshClient()]
      const [expensive, small] = [makePng(7000, 7000), yield* picture("png")]
      let answered = 0
      const one = Effect.tap(upload(loud, expensive), () => Effect.sync(() => void (answered += 1)))
      const flood = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: UPLOADS }, () => one),
          { concurrency: "unbounded" }
        )
      )
      // By then the others wait.
      yield* waitUntil(
        Effect.sync(() => answered),
        (count) => count > 0
      )
      const before = answered
      assert.strictEqual((yield* upload(quiet, small)).status, 201)
      assert.isBelow(answered - before, UPLOADS / 3)
      yield* Fiber.interrupt(flood)
    })
  )
})
