import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import type { Product } from "../../../src/domain/catalog/Product.ts"

/*
 * Changes of products by a set, with what each writes or computes from, and what others changed. Written apart from `src`,
 * for Interleavings.test.ts.
 */

const MEMBERS = ["name", "price", "discountedPrice", "stock", "tags"] as const

export type State = Pick<Product, "id" | "variants" | (typeof MEMBERS)[number]>

export const stateOf = ({ discountedPrice, id, name, price, stock, tags, variants }: Product): State => ({
  id,
  name,
  price,
  discountedPrice,
  stock,
  tags,
  variants
})

export const PRODUCTS = 3
/** Variants of each product. */
export const VARIANTS = 2

const product = fc.integer({ min: 0, max: PRODUCTS - 1 })
const variant = fc.integer({ min: 0, max: VARIANTS - 1 })
const price = fc.constantFrom(100, 200, 300)
const stock = fc.integer({ min: 30, max: 33 })
const tags = fc.subarray(["new", "sale", "old"])
const by = fc.integer({ min: -2, max: 2 })

const patch = fc.record(
  { name: fc.constantFrom("A", "B"), price, discountedPrice: fc.option(price), stock, tags },
  { requiredKeys: [] }
)
/** Member of a variant with its new value. */
const member = fc.oneof(fc.record({ price }), fc.record({ stock }))
const amount = fc.oneof(fc.record({ set: price }), fc.record({ percent: fc.constantFrom(-10, 10) }))

const kinds = {
  patch: fc.record({ kind: fc.constant("patch" as const), product, patch }),
  variant: fc.record({ kind: fc.constant("variant" as const), product, variant, member }),
  adjust: fc.record({ kind: fc.constant("adjust" as const), product, variant: fc.option(variant), by }),
  stock: fc.record({ kind: fc.constant("stock" as const), product, variant: fc.option(variant), stock }),
  delete: fc.record({ kind: fc.constant("delete" as const), product })
}

const edit = fc.oneof(
  fc.record({ patch }),
  fc.record({ price: amount }),
  fc.record({ discountedPrice: amount }),
  fc.record({ stock: fc.oneof(fc.record({ set: stock }), fc.record({ add: by })) }),
  fc.record({ tags: fc.oneof(fc.record({ add: tags }), fc.record({ remove: tags })) }),
  fc.constant({ delete: true as const })
)
export type Edit = typeof edit extends fc.Arbitrary<infer A> ? A : never

const listed = fc.oneof(
  { weight: 3, arbitrary: kinds.patch },
  { weight: 3, arbitrary: kinds.variant },
  { weight: 2, arbitrary: kinds.adjust },
  { weight: 2, arbitrary: kinds.stock },
  { weight: 1, arbitrary: kinds.delete }
)
export type Listed = typeof listed extends fc.Arbitrary<infer A> ? A : never

const theirs = fc.oneof(
  { weight: 4, arbitrary: kinds.patch },
  { weight: 3, arbitrary: kinds.variant },
  { weight: 3, arbitrary: kinds.adjust },
  { weight: 1, arbitrary: kinds.delete },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("addVariant" as const), product }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("removeVariant" as const), product, variant }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("undone" as const), product, patch }) }
)
export type Theirs = typeof theirs extends fc.Arbitrary<infer A> ? A : never

/** Operations of a set, or one change of all products, with what others write between its preview and application. */
export const interleaving = fc.record({
  set: fc.oneof(
    fc.record({ operations: fc.array(listed, { minLength: 1, maxLength: 6 }) }),
    fc.record({ change: edit })
  ),
  theirs: fc.array(theirs, { maxLength: 4 })
})

/** Change of a product by the set. */
export interface Own {
  readonly product: number
  /** Members that it writes or computes from; null for the whole product. */
  readonly touched: (state: State) => ReadonlyArray<string> | null
  /** Next state of the product; null if it is deleted, undefined if the change is refused. */
  readonly next: (state: State) => State | null | undefined
}

const pathOf = (id: string | undefined, name: string) => `${id} ${name}`

/** Returns the change that an operation makes. Its variants are those of the product as it is at first. */
export const ownOf = (operation: Listed, { variants }: State): Own => {
  const of = (id: string | undefined, more: (one: State["variants"][number]) => object) => (state: State) =>
    state.variants.some((one) => one.id === id)
      ? { ...state, variants: state.variants.map((one) => (one.id === id ? { ...one, ...more(one) } : one)) }
      : undefined
  const idOf = (at: number) => variants[at]?.id
  switch (operation.kind) {
    case "patch":
      return {
        product: operation.product,
        touched: () => Object.keys(operation.patch),
        next: (state) => ({ ...state, ...operation.patch })
      }
    case "variant": {
      const id = idOf(operation.variant)
      return {
        product: operation.product,
        touched: () => ["ids", ...Object.keys(operation.member).map((name) => pathOf(id, name))],
        next: of(id, () => operation.member)
      }
    }
    case "adjust":
      return {
        product: operation.product,
        touched: () => [],
        next:
          operation.variant === null
            ? (state) => ({ ...state, stock: state.stock + operation.by })
            : of(idOf(operation.variant), (one) => ({ stock: (one.stock ?? 0) + operation.by }))
      }
    case "stock": {
      const id = operation.variant === null ? undefined : idOf(operation.variant)
      return {
        product: operation.product,
        touched: () => [id === undefined ? "stock" : pathOf(id, "stock")],
        next:
          id === undefined
            ? (state) => ({ ...state, stock: operation.stock })
            : of(id, () => ({ stock: operation.stock }))
      }
    }
    case "delete":
      return { product: operation.product, touched: () => null, next: () => null }
  }
}

const amountOf = (current: number, amount: { readonly set: number } | { readonly percent: number }) =>
  "set" in amount ? amount.set : Math.round(current * (100 + amount.percent)) / 100

/** Returns the change that a set makes of a selected product. */
export const selectedOf = (edit: Edit, product: number): Own => {
  if ("patch" in edit) {
    return { product, touched: () => Object.keys(edit.patch), next: (state) => ({ ...state, ...edit.patch }) }
  }
  if ("price" in edit) {
    const { price } = edit
    return {
      product,
      touched: ({ variants }) => ["price", ...variants.map(({ id }) => pathOf(id, "price"))],
      next: (state) => ({
        ...state,
        price: amountOf(state.price, price),
        variants: state.variants.map((one) =>
          one.price === undefined ? one : { ...one, price: amountOf(one.price, price) }
        )
      })
    }
  }
  if ("discountedPrice" in edit) {
    const { discountedPrice } = edit
    return {
      product,
      touched: (state) => [
        "discountedPrice",
        ...("percent" in discountedPrice && state.discountedPrice === null ? ["price"] : []),
        ...state.variants.flatMap(({ id }) => [
          pathOf(id, "discountedPrice"),
          ...("percent" in discountedPrice ? [pathOf(id, "price")] : [])
        ])
      ],
      next: (state) => ({
        ...state,
        discountedPrice: amountOf(state.discountedPrice ?? state.price, discountedPrice),
        variants: state.variants.map((one) => {
          const current = one.discountedPrice ?? one.price
          return current === undefined ? one : { ...one, discountedPrice: amountOf(current, discountedPrice) }
        })
      })
    }
  }
  if ("stock" in edit) {
    const { stock } = edit
    return {
      product,
      touched: () => ("set" in stock ? ["stock"] : []),
      next: (state) => ({ ...state, stock: "set" in stock ? stock.set : state.stock + stock.add })
    }
  }
  if ("tags" in edit) {
    const { tags } = edit
    return {
      product,
      touched: () => [],
      next: (state) => ({
        ...state,
        tags:
          "add" in tags
            ? [...state.tags, ...tags.add.filter((tag) => !state.tags.includes(tag))]
            : state.tags.filter((tag) => !tags.remove.includes(tag))
      })
    }
  }
  return { product, touched: () => null, next: () => null }
}

/** Lists what a write changed in a product that it did not delete. */
export const changedBetween = (before: State, after: State): ReadonlyArray<string> => [
  ...MEMBERS.filter((name) => !isDeepStrictEqual(before[name], after[name])),
  ...(isDeepStrictEqual(
    before.variants.map(({ id }) => id),
    after.variants.map(({ id }) => id)
  )
    ? []
    : ["ids"]),
  ...after.variants.flatMap((variant) => {
    const other = before.variants.find(({ id }) => id === variant.id)
    return (["price", "discountedPrice", "stock"] as const).flatMap((name) =>
      // A change of all variants touches one that was added, too.
      other !== undefined && other[name] === variant[name] ? [] : [pathOf(variant.id, name)]
    )
  })
]

/** Products by their places. A deleted one is missing. */
export type States = ReadonlyMap<number, State>

type Outcome = "updated" | "deleted" | "unchanged" | "refused"

/** Performs changes one after the other, except those that are refused. Returns their outcomes and the final states. */
export const performAll = (
  changes: ReadonlyArray<Own>,
  states: States,
  isRefused: (change: Own, state: State, at: number) => boolean
) => {
  const current = new Map(states)
  const outcomes = changes.map((change, at): Outcome => {
    const state = current.get(change.product)
    if (state === undefined || isRefused(change, state, at)) return "refused"
    const next = change.next(state)
    if (next === undefined) return "refused"
    if (next === null) {
      current.delete(change.product)
      return "deleted"
    }
    if (isDeepStrictEqual(next, state)) return "unchanged"
    current.set(change.product, next)
    return "updated"
  })
  return { outcomes, states: current }
}
