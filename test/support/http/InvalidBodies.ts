import { Effect } from "effect"
import { performance } from "node:perf_hooks"

/** Maximum size of a body in bytes. */
const BYTES = 1024 * 1024

/** JSON of almost `bytes` bytes, with `item` repeated between `head` and `tail`. */
export const fillBody = (head: string, item: string, tail: string, bytes = BYTES - 1024): string => {
  const count = Math.floor((bytes - head.length - tail.length) / (item.length + 1))
  return `${head}${Array.from({ length: count }, () => item).join(",")}${tail}`
}

/** JSON of an object with `count` distinct keys. */
export const manyKeys = (head: string, count: number, tail: string): string =>
  `${head}${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")}${tail}`

/** A body that is expensive to validate, and the last line of its issues. */
interface Invalid {
  readonly json: string
  readonly last: string | RegExp
}

export const TOO_MANY_PARTS = "must contain at most 40,000 keys, objects and arrays in total"

const wrongVariant = `{"title":1,"sku":1,"barcode":1,"price":"","discountedPrice":"","costPrice":"","stock":"","options":1}`

/** Invalid products by reason. */
export const INVALID_PRODUCTS: Readonly<Record<string, Invalid>> = {
  faqs: { json: fillBody('{"name":"x","faqs":[', "1", "]}"), last: /faqs: must be a list of at most 100 items/ },
  options: {
    json: fillBody('{"name":"x","options":[', "1", "]}"),
    last: /options: must be a list of at most 10 items/
  },
  "values of an option": {
    json: fillBody('{"name":"x","options":[{"name":"a","values":[', "1", "]}]}"),
    last: /options\.0\.values\.100: not checked from here on: 523,\d{3} values/
  },
  media: { json: fillBody('{"name":"x","media":[', "1", "]}"), last: /media: must be a list of at most 250 items/ },
  tags: { json: fillBody('{"name":"x","tags":[', "1", "]}"), last: /tags: must be a list of at most 250 items/ },
  variants: {
    json: fillBody('{"name":"x","variants":[', "1", "]}"),
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
    json: fillBody('{"name":"x","metafields":[', "1", "]}"),
    last: /metafields: must be an object or a list of objects/
  },
  "text that none may hold": {
    json: fillBody('{"name":"x","metafields":{"a":[', '"\\u0000"', "]}}"),
    last: /116,\d{3} more issues are not listed/
  },
  "900 unknown fields": { json: manyKeys('{"name":"x",', 900, "}"), last: /801 more issues are not listed/ },
  "1,001 keys": {
    json: manyKeys('{"name":"x","metafields":{', 1001, "}}"),
    last: /metafields: must be an object of at most 1,000 keys/
  }
}

/** Bodies with too many keys, objects or arrays. They are rejected before validation. */
export const MANY_PARTS: Readonly<Record<string, Invalid>> = {
  "350,000 objects": { json: fillBody('{"name":"x","faqs":[', "{}", "]}"), last: TOO_MANY_PARTS },
  "350,000 arrays": { json: fillBody('{"name":"x","metafields":{"a":[', "[]", "]}}"), last: TOO_MANY_PARTS },
  "90,000 unknown fields": { json: manyKeys('{"name":"x",', 90_000, "}"), last: TOO_MANY_PARTS },
  "70,000 metafields": { json: manyKeys('{"name":"x","metafields":{', 70_000, "}}"), last: TOO_MANY_PARTS }
}

/** Invalid collections by reason. */
export const INVALID_COLLECTIONS: Readonly<Record<string, Invalid>> = {
  rules: { json: fillBody('{"title":"x","rules":[', "1", "]}"), last: /rules: must be a list of at most 60 items/ },
  productIds: {
    json: fillBody('{"title":"x","productIds":[', "1", "]}"),
    last: /productIds\.100: not checked from here on: 523,\d{3} values/
  }
}

/** A valid product of one megabyte. */
export const VALID_PRODUCT = fillBody('{"name":"x","metafields":{"a":[', "1", "]}}")

/** Measures how long an effect keeps the event loop of this process busy. */
const busy = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = performance.eventLoopUtilization()
    return Effect.map(work, (result) => ({ result, millis: performance.eventLoopUtilization(before).active }))
  })

/**
 * Does the work for each invalid body and returns the cost of one as a multiple of the cost of a valid body. A ratio,
 * because other processes share the machine. Invalid bodies once cost 30 times as much.
 */
export const relativeCosts = <A, B, E, R>(
  right: Effect.Effect<B, E, R>,
  wrong: ReadonlyArray<A>,
  work: (one: A) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    // The first run compiles the code.
    yield* right
    const ours = yield* busy(Effect.forEach(wrong, work, { discard: true }))
    const reference = yield* busy(right)
    return ours.millis / wrong.length / reference.millis
  })

/** Maximum cost of an invalid body, as a multiple of a valid one. */
export const MAX_RELATIVE_COST = 4
