import { assert, describe, it } from "@effect/vitest"
import { HashMap, Result, Schema } from "effect"
import * as fc from "fast-check"
import {
  CreateProduct,
  patchProduct,
  type Product,
  ProductId,
  UpdateProduct
} from "../../../src/domain/catalog/Product.ts"
import {
  decideChange,
  type Decided,
  decideCreation,
  decideDeletion,
  decideRestoration,
  recordOf,
  findProduct,
  freeSlugs,
  NO_SLUGS,
  type ProductChange,
  type StoreState
} from "../../../src/domain/catalog/ProductState.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

const CLOCK = Date.UTC(2026, 10, 28) * 1000

/** A store without products in which each of these slugs may take these numbers. */
const storeWith = (slugs: ReadonlyArray<readonly [string, number]>, places = 10): StoreState => ({
  clock: CLOCK,
  products: HashMap.empty(),
  slugs: {
    ...NO_SLUGS,
    free: freeSlugs(
      slugs.map(([slug]) => slug),
      slugs.map(([, number]) => number)
    )
  },
  currencyCode: "EUR",
  limit: 10,
  places
})

const create = (state: StoreState, slug: string, isRequested = false, fields: object = {}) =>
  decideCreation(state, toProduct({ name: "Cup", ...fields }), { slug, isRequested })

const patch = (state: StoreState, id: ProductId, fields: object, condition: "any" | ReadonlyArray<number> = "any") =>
  decideChange(state, id, condition, (before: Product, at) => Result.succeed(patchProduct(before, toPatch(fields), at)))

const created = (result: ReturnType<typeof create>) => {
  const { product, state } = Result.getOrThrow(result)
  return { state, id: product.product.id, slug: product.product.slug }
}

const tagOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure._tag : "none"

const NO_ID = ProductId.make("00000000-0000-7000-8000-000000000000")

describe("Decisions about products", () => {
  it("a new product gets the next number of its slug; a requested slug must be free", () => {
    const first = created(
      create(
        storeWith([
          ["cup", 1],
          ["cup", 2],
          ["mug", 2]
        ]),
        "cup"
      )
    )
    const second = created(create(first.state, "cup"))
    assert.deepStrictEqual([first.slug, second.slug], ["cup", "cup-2"])
    assert.strictEqual(tagOf(create(second.state, "mug", true)), "SlugTaken")
    assert.strictEqual(created(create(second.state, "mug")).slug, "mug-2")
    assert.match(created(create(second.state, "")).slug, /^product-[0-9a-f]{8}$/)
  })

  it("a slug that a change gives up is free for the next change", () => {
    const cup = created(
      create(
        storeWith([
          ["cup", 1],
          ["cup", 3],
          ["pot", 1]
        ]),
        "cup",
        true
      )
    )
    const renamed = Result.getOrThrow(patch(cup.state, cup.id, { slug: "pot" })).state
    assert.strictEqual(created(create(renamed, "cup", true)).slug, "cup")
    const deleted = Result.getOrThrow(decideDeletion(renamed, cup.id, "any")).state
    const again = created(create(deleted, "cup"))
    assert.deepStrictEqual([again.slug, created(create(again.state, "cup")).slug], ["cup", "cup-3"])
    assert.strictEqual(created(create(deleted, "pot", true)).slug, "pot")
  })

  it("a product keeps its own slug", () => {
    const cup = created(
      create(
        storeWith([
          ["cup", 1],
          ["cup", 2]
        ]),
        "cup"
      )
    )
    const kept = Result.getOrThrow(patch(cup.state, cup.id, { slug: "cup", price: 2 }))
    assert.deepInclude(kept.product.product, { slug: "cup", price: 2, version: 2 })
  })

  it("a version that is not named refuses a change and a deletion", () => {
    const { id, state } = created(create(storeWith([["cup", 1]]), "cup"))
    assert.strictEqual(tagOf(patch(state, id, { price: 2 }, [2, 3])), "VersionMismatch")
    assert.strictEqual(tagOf(decideDeletion(state, id, [2])), "VersionMismatch")
    assert.strictEqual(tagOf(patch(state, id, { price: 2 }, [1])), "none")
    assert.strictEqual(tagOf(patch(state, NO_ID, { price: 2 })), "ProductNotFound")
    assert.strictEqual(tagOf(decideDeletion(state, NO_ID, "any")), "ProductNotFound")
  })

  it("a patch that changes nothing makes no change", () => {
    const { id, state } = created(create(storeWith([["cup", 1]]), "cup", false, { price: 2 }))
    const same = Result.getOrThrow(patch(state, id, { price: 2 }))
    assert.deepStrictEqual([same.change, same.state, same.product.product.version], [null, state, 1])
  })

  it("the plan bounds new and restored products; a deletion makes a place", () => {
    const { id, state } = created(
      create(
        storeWith(
          [
            ["cup", 1],
            ["cup", 2]
          ],
          1
        ),
        "cup"
      )
    )
    const full = create(state, "cup")
    assert.deepInclude(Result.isFailure(full) ? full.failure : {}, { _tag: "ProductLimitReached", limit: 10 })
    const { product, state: after } = Result.getOrThrow(decideDeletion(state, id, "any"))
    assert.strictEqual(tagOf(create(after, "cup")), "none")
    const restored = Result.getOrThrow(decideRestoration(after, product.product))
    assert.deepInclude(restored.product.product, { id, slug: "cup", version: 2 })
    assert.strictEqual(tagOf(decideRestoration(storeWith([["cup", 1]], 0), product.product)), "ProductLimitReached")
    assert.strictEqual(tagOf(decideRestoration(storeWith([["cup", 2]]), product.product)), "SlugTaken")
  })

  it("a product has at most a mebibyte of JSON", () => {
    const large = { metafields: { text: "x".repeat(1024 * 1024) } }
    const { id, state } = created(
      create(
        storeWith([
          ["cup", 1],
          ["cup", 2]
        ]),
        "cup"
      )
    )
    assert.strictEqual(tagOf(create(state, "cup", false, large)), "ProductTooLarge")
    assert.strictEqual(tagOf(patch(state, id, large)), "ProductTooLarge")
  })

  it("the entry of a deletion has what referred to the product, and other entries do not", () => {
    const { id, state } = created(create(storeWith([["cup", 1]]), "cup"))
    const references = { memberships: "[]", externalId: "A" }
    const { change: deletion } = Result.getOrThrow(decideDeletion(state, id, "any", { undoes: "entry" }))
    const { change: update } = Result.getOrThrow(patch(state, id, { price: 2 }))
    if (deletion === null || update === null) return assert.fail("Nothing changes")
    assert.deepInclude(recordOf(deletion, references), { ...references, version: 1, after: null, undoes: "entry" })
    assert.notProperty(recordOf(update, references), "externalId")
    assert.deepInclude(recordOf(update, undefined), { version: 2, resourceId: id })
  })
})

/* Random changes. Few slugs and products make them depend on each other. */

const SLUGS = ["cup", "pot"]
const PLACES = 3
const slug = fc.constantFrom(...SLUGS)
const command = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), slug, isRequested: fc.boolean() }),
  fc.record({ kind: fc.constant("patch" as const), target: fc.nat(3), slug: fc.option(slug), price: fc.nat(2) }),
  fc.record({ kind: fc.constant("delete" as const), target: fc.nat(3) }),
  fc.record({ kind: fc.constant("restore" as const), target: fc.nat(3) })
)

it("random changes keep slugs unique, count places, and continue each other", () => {
  const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261_129)
  const kinds = new Set<string>()
  fc.assert(
    fc.property(fc.array(command, { minLength: 10, maxLength: 30 }), (commands) => {
      const numbers = SLUGS.flatMap((one) => Array.from({ length: 30 }, (_, n) => [one, n + 1] as const))
      let state = storeWith(numbers, PLACES)
      const states = new Map<ProductId, Product>()
      const deleted = new Map<ProductId, Product>()
      const at = (target: number) => [...states.keys(), ...deleted.keys()][target] ?? NO_ID
      for (const one of commands) {
        const decide = (): Result.Result<Decided<StoreState>, { readonly _tag: string }> => {
          switch (one.kind) {
            case "create":
              return create(state, one.slug, one.isRequested)
            case "patch":
              return patch(state, at(one.target), { price: one.price, ...(one.slug && { slug: one.slug }) })
            case "delete":
              return decideDeletion(state, at(one.target), "any")
            case "restore": {
              const product = deleted.get(at(one.target))
              return product === undefined ? patch(state, NO_ID, {}) : decideRestoration(state, product)
            }
          }
        }
        const result = decide()
        kinds.add(`${one.kind} ${tagOf(result)}`)
        if (Result.isFailure(result)) continue
        const { change } = result.success
        if (change === null) continue
        check(change, state, states.get(change.id))
        if (change.after === null) {
          states.delete(change.id)
          if (change.before !== null) deleted.set(change.id, change.before.product)
        } else {
          states.set(change.id, change.after.product)
          deleted.delete(change.id)
        }
        assert.strictEqual(result.success.state.clock, state.clock + 1)
        ;({ state } = result.success)
        assert.strictEqual(new Set([...states.values()].map((product) => product.slug)).size, states.size)
        assert.strictEqual(state.places, PLACES - states.size)
        for (const [id, product] of states) assert.strictEqual(findProduct(state, id)?.product, product)
        for (const id of deleted.keys()) assert.isUndefined(findProduct(state, id))
      }
    }),
    { seed, numRuns: propertyRuns(300, 20_000) }
  )
  assert.includeMembers(
    [...kinds],
    [
      "create none",
      "create SlugTaken",
      "create ProductLimitReached",
      "patch none",
      "patch SlugTaken",
      "delete none",
      "delete ProductNotFound",
      "restore none",
      "restore SlugTaken",
      "restore ProductLimitReached"
    ]
  )
})

/** A change starts from the last state of its product and has the next instant. */
const check = ({ after, at, before, eventId }: ProductChange, { clock }: StoreState, last: Product | undefined) => {
  assert.strictEqual(before?.product, last)
  if (after !== null && before !== null) assert.strictEqual(after.product.version, before.product.version + 1)
  if (after !== null) assert.deepStrictEqual(JSON.parse(after.json), after.product)
  assert.strictEqual(at.getTime(), Math.floor(clock / 1000))
  assert.strictEqual(Number.parseInt(eventId.replaceAll("-", "").slice(0, 12), 16), at.getTime())
}
