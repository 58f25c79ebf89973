import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ALL_GRANTS, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeApp, makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { installing, suspend } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Apps", (it) => {
  it.effect("list returns the newest apps first and counts active installations on existing stores", () =>
    Effect.gen(function* () {
      const apps = yield* Apps
      const stores = yield* Stores
      const { install } = yield* installing
      const before = yield* makeApp()
      const appId = yield* apps.create({ name: "Counted", ...ALL_GRANTS })
      const [one, two, three] = [yield* makeStore(), yield* makeStore(), yield* makeStore()]
      for (const storeId of [one, two, three]) yield* install({ storeId, appId, ...NO_GRANTS })
      yield* suspend(yield* install({ storeId: two, appId, ...NO_GRANTS }))
      yield* stores.delete(three)
      const [app] = yield* apps.list(1)
      assert.deepInclude(app, { appId, name: "Counted", ...ALL_GRANTS, installations: 1 })
      assert.deepStrictEqual(
        (yield* apps.list(2)).map((listed) => listed.appId),
        [appId, before]
      )
    })
  )
})
