import { Effect } from "effect"
import { performance } from "node:perf_hooks"

/** Bytes of the largest body. */
const BYTES = 1024 * 1024

/** JSON of nearly a megabyte: between its head and its tail the item, as often as there is room. */
export const filled = (head: string, item: string, tail: string, bytes = BYTES - 1024): string => {
  const count = Math.floor((bytes - head.length - tail.length) / (item.length + 1))
  return `${head}${Array.from({ length: count }, () => item).join(",")}${tail}`
}

/** JSON of an object with so many keys, each another one. */
export const manyKeys = (head: string, count: number, tail: string): string =>
  `${head}${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")}${tail}`

/** A body whose validation once cost seconds, and the last line that it is refused with. */
interface Invalid {
  readonly json: string
  readonly last: string | RegExp
}

export const TOO_MANY_PARTS = "must contain at most 40,000 keys, objects and arrays in total"

const wrongVariant = `{"title":1,"sku":1,"barcode":1,"price":"","discountedPrice":"","costPrice":"","stock":"","options":1}`

/** Of products, by what is wrong with them. */
export const INVALID_PRODUCTS: Readonly<Record<string, Invalid>> = {
  faqs: { json: filled('{"name":"x","faqs":[', "1", "]}"), last: /faqs: must be a list of at most 100 items/ },
  options: { json: filled('{"name":"x","options":[', "1", "]}"), last: /options: must be a list of at most 10 items/ },
  "values of an option": {
    json: filled('{"name":"x","options":[{"name":"a","values":[', "1", "]}]}"),
    last: /options\.0\.values\.100: not checked from here on: 523,\d{3} values/
  },
  media: { json: filled('{"name":"x","media":[', "1", "]}"), last: /media: must be a list of at most 250 items/ },
  tags: { json: filled('{"name":"x","tags":[', "1", "]}"), last: /tags: must be a list of at most 250 items/ },
  variants: {
    json: filled('{"name":"x","variants":[', "1", "]}"),
    last: /variants: must be a list of at most 2,048 items/
  },
  "fields of variants": {
    json: `{"name":"x","variants":[${Array.from({ length: 2048 }, () => wrongVariant).join(",")}]}`,
    last: /variants\.13: not checked from here on: 2,035 values/
  },
  "options of a variant": {
    json: manyKeys('{"name":"x","variants":[{"options":{', 900, "}}]}"),
    last: /variants\.0\.options\.k100: not checked from here on: 800 values/
  },
  metafields: {
    json: filled('{"name":"x","metafields":[', "1", "]}"),
    last: /metafields: must be an object or a list of objects/
  },
  "text that none may hold": {
    json: filled('{"name":"x","metafields":{"a":[', '"\\u0000"', "]}}"),
    last: /116,\d{3} more issues are not listed/
  },
  "900 unknown fields": { json: manyKeys('{"name":"x",', 900, "}"), last: /801 more issues are not listed/ },
  "1,001 keys": {
    json: manyKeys('{"name":"x","metafields":{', 1001, "}}"),
    last: /metafields: must be an object of at most 1,000 keys/
  }
}

/** Those that hold so many keys, objects or arrays that nothing else is looked at. */
export const MANY_PARTS: Readonly<Record<string, Invalid>> = {
  "350,000 objects": { json: filled('{"name":"x","faqs":[', "{}", "]}"), last: TOO_MANY_PARTS },
  "350,000 arrays": { json: filled('{"name":"x","metafields":{"a":[', "[]", "]}}"), last: TOO_MANY_PARTS },
  "90,000 unknown fields": { json: manyKeys('{"name":"x",', 90_000, "}"), last: TOO_MANY_PARTS },
  "70,000 metafields": { json: manyKeys('{"name":"x","metafields":{', 70_000, "}}"), last: TOO_MANY_PARTS }
}

/** Of collections. */
export const INVALID_COLLECTIONS: Readonly<Record<string, Invalid>> = {
  rules: { json: filled('{"title":"x","rules":[', "1", "]}"), last: /rules: must be a list of at most 60 items/ },
  productIds: {
    json: filled('{"title":"x","productIds":[', "1", "]}"),
    last: /productIds\.100: not checked from here on: 523,\d{3} values/
  }
}

/** A product of a megabyte that is right. */
export const VALID_PRODUCT = filled('{"name":"x","metafields":{"a":[', "1", "]}}")

/** How long the event loop of this process was busy meanwhile. */
const busy = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = performance.eventLoopUtilization()
    return Effect.map(work, (result) => ({ result, millis: performance.eventLoopUtilization(before).active }))
  })

/**
 * Does the work for each, and answers what one cost the process, as a multiple of what a right body cost. A ratio, as
 * others share the machine. Wrong bodies once cost 30 times as much.
 */
export const costAgainst = <A, B, E, R>(
  right: Effect.Effect<B, E, R>,
  wrong: ReadonlyArray<A>,
  work: (one: A) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    // The first one compiles its code.
    yield* right
    const ours = yield* busy(Effect.forEach(wrong, work, { discard: true }))
    const reference = yield* busy(right)
    return ours.millis / wrong.length / reference.millis
  })

/** What a wrong body may cost, as a multiple of a right one. */
export const MOST_COST = 4
