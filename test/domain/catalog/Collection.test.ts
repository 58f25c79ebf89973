import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  withNextVersion,
  CollectionId,
  CreateCollection,
  newCollection,
  patchCollection,
  UnknownProducts,
  UpdateCollection
} from "../../../src/domain/catalog/Collection.ts"
import { ProductId } from "../../../src/domain/catalog/Product.ts"

const toCreate = Schema.decodeUnknownSync(CreateCollection)
const toPatch = Schema.decodeUnknownSync(UpdateCollection)

const given = {
  id: CollectionId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desks",
  at: new Date("2026-01-31T09:30:00.123Z")
}
const rules = [{ field: "title", relation: "is_set" }]
const make = (input: unknown) => newCollection(toCreate(input), given)

describe("A new collection", () => {
  it("is automated when it has rules and manual when not, unless it says otherwise", () => {
    assert.strictEqual(make({ title: "Desks" }).type, "manual")
    assert.strictEqual(make({ title: "Desks", rules: [] }).type, "manual")
    assert.strictEqual(make({ title: "Desks", rules }).type, "automated")
    assert.strictEqual(make({ title: "Desks", rules, type: "manual" }).type, "manual")
    assert.strictEqual(make({ title: "Desks", type: "automated" }).type, "automated")
  })
})

describe("A patch", () => {
  const desks = make({ title: "Desks", description: "All of them", rules })

  it("that changes nothing gives the collection back as it is", () => {
    for (const changes of [
      {},
      { title: " Desks " },
      { rules },
      { rules: [{ relation: "is_set", field: "title" }] },
      desks
    ]) {
      assert.strictEqual(patchCollection(desks, toPatch(changes)), desks)
    }
  })

  it("changes what it names; the version and the time of the change come after", () => {
    const next = patchCollection(desks, toPatch({ description: null, disjunctive: true }))
    assert.deepStrictEqual(next, { ...desks, description: null, disjunctive: true })
    assert.deepStrictEqual(withNextVersion(next, new Date("2026-02-01T00:00:00.000Z")), {
      ...next,
      version: 2,
      updatedAt: "2026-02-01T00:00:00.000Z"
    })
  })
})

describe("UnknownProducts", () => {
  it("has a line for each id, with its place", () => {
    const id = ProductId.make("01890a5d-ac96-774b-bcce-b302099a8058")
    const { issues } = new UnknownProducts({ unknown: [{ index: 3, id }] })
    assert.deepStrictEqual(issues, [`productIds.3: ${id} is not a product of this store`])
  })
})
