import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { serialize } from "pg-protocol"
import { packetOf } from "../../../src/layers/database/Batch.ts"

const value = fc.oneof(
  fc.constant(null),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))
)

const bound = fc.record({
  parsed: fc.record({ name: fc.stringMatching(/^p[0-9a-f]{0,32}$/), columns: fc.constant([]) }),
  values: fc.array(value, { maxLength: 12 })
})

describe("What is sent of a batch", () => {
  it("is, to the byte, what the driver makes of its statements one by one", () => {
    fc.assert(
      fc.property(fc.array(bound, { maxLength: 4 }), (statements) => {
        const messages = statements.flatMap(({ parsed: { name }, values }) => [
          serialize.bind({ statement: name, values: [...values] }),
          serialize.execute()
        ])
        assert.isTrue(packetOf(statements).equals(Buffer.concat([...messages, serialize.sync()])))
      })
    )
  })
})
