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

const generated = {
  id: CollectionId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desks",
  at: new Date("2026-01-31T09:30:00.123Z")
}
const rules = [{ field: "title", relation: "is_set" }]
const makeCollection = (input: unknown) => newCollection(toCreate(input), generated)

describe("New collections", () => {
  it("type defaults to automated with rules and to manual without", () => {
    assert.strictEqual(makeCollection({ title: "Desks" }).type, "manual")
    assert.strictEqual(makeCollection({ title: "Desks", rules: [] }).type, "manual")
    assert.strictEqual(makeCollection({ title: "Desks", rules }).type, "automated")
    assert.strictEqual(makeCollection({ title: "Desks", rules, type: "manual" }).type, "manual")
    assert.strictEqual(makeCollection({ title: "Desks", type: "automated" }).type, "automated")
  })
})

describe("Patches of collections", () => {
  const desks = makeCollection({ title: "Desks", description: "All of them", rules })

  it("a patch without changes returns the same collection", () => {
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

  it("a patch changes only its fields, and withNextVersion sets version and time", () => {
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
  it("UnknownProducts has an issue with the index of each id", () => {
    const id = ProductId.make("01890a5d-ac96-774b-bcce-b302099a8058")
    const { issues } = new UnknownProducts({ unknown: [{ index: 3, id }] })
    assert.deepStrictEqual(issues, [`productIds.3: ${id} is not a product of this store`])
  })
})
