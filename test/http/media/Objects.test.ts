import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Files } from "../../../src/domain/media/Files.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"
import { countFiles, fetchBytes, picture, upload } from "../../support/http/Files.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Bytes of files", (it) => {
  it.effect("the limit of the plan is exact under parallel uploads", () =>
    Effect.gen(function* () {
      const pictures = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (red) => picture("png", red))
      const size = pictures[0]?.length ?? 0
      const plan = randomUUID()
      yield* changeGlobally(
        (sql) => sql`insert into plans (name, product_limit, media_limit) values (${plan}, 1, ${size * 3})`
      )
      const { client, storeId } = yield* freshClient({ plan })
      const answers = yield* Effect.forEach(pictures, (bytes) => upload(client, bytes), { concurrency: 6 })
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        3
      )
      const refused = answers.filter(({ status }) => status === 422)
      assert.lengthOf(refused, 3)
      for (const answer of refused) assert.include(errorOf(answer).error, "delete files or upgrade the plan")
      assert.deepInclude(yield* countFiles(storeId), { files: 3, used: size * 3 })
    })
  )

  it.effect("unused bytes are deleted after a day, and not if they are uploaded meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Files
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const age = sql`
        update media_objects set unused_since = now() - interval '25 hours' where store_id = ${storeId} and unused_since is not null
      `
      for (let round = 0; round < 6; round++) {
        const { id } = dataOf(yield* upload(client, bytes))
        yield* client.delete(`/files/${String(id)}`)
        yield* purge
        assert.deepInclude(yield* countFiles(storeId), { objects: 1 })
        yield* age
        const [answer] = yield* Effect.all([upload(client, bytes), purge, purge], { concurrency: 3 })
        const served = yield* fetchBytes(dataOf(answer)["url"])
        assert.isTrue(served.bytes.equals(bytes), `round ${round}: ${served.status}`)
        yield* client.delete(`/files/${String(dataOf(answer)["id"])}`)
        yield* age
        yield* purge
        assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 0, used: 0 })
      }
    })
  )

  it.effect("the same bytes sent in parallel are one object and count once", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => upload(client, bytes)),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual(new Set(answers.map((answer) => dataOf(answer)["url"])).size, 1)
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 8, objects: 1, used: bytes.length })
    })
  )
})
