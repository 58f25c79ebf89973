import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as FastCheck from "fast-check"
import { Product } from "../../../src/domain/catalog/Product.ts"
import { editableFields } from "../../../src/domain/catalog/ProductFields.ts"
import { type Answer, IsolatedApiTest, dataOf, errorOf, install, makeStore, pageOf } from "../../support/http/Api.ts"

const FIELDS = Object.keys(editableFields)

const asProduct = Schema.decodeUnknownSync(Product, { onExcessProperty: "error" })

/** JSON strings: printable, binary, with unpaired surrogates, and with a special meaning in some parser. */
const text = FastCheck.oneof(
  FastCheck.string(),
  FastCheck.string({ unit: "binary" }),
  FastCheck.array(FastCheck.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  FastCheck.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "__proto__",
    "constructor",
    "toString",
    "1e3",
    "\\u0000",
    "'; --",
    "$1"
  ),
  FastCheck.constantFrom("EUR", "https://a.example/b", "a-b", "manual", "x".repeat(256), "2026-01-31T09:30:00.000Z")
).map((value) => JSON.stringify(value))

/** Number literals, including invalid ones and ones that no float represents. */
const number = FastCheck.oneof(
  FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  FastCheck.integer().map(String),
  FastCheck.stringMatching(/^-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,12})?$/),
  FastCheck.constantFrom(
    "0",
    "-0",
    "1e400",
    "1e-400",
    "0e-99999",
    "999999999999999",
    "1e15",
    "NaN",
    "01",
    "1.",
    ".5",
    "-"
  )
)

/** Member names of composite fields. */
const memberName = FastCheck.constantFrom(
  "id",
  "url",
  "type",
  "alt",
  "name",
  "values",
  "title",
  "price",
  "options"
).map((name) => JSON.stringify(name))

/** JSON text, sometimes invalid. */
const { json } = FastCheck.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: FastCheck.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: text },
    { weight: 3, arbitrary: number },
    { weight: 2, arbitrary: FastCheck.constantFrom("null", "true", "false") },
    { weight: 1, arbitrary: tie("list") },
    { weight: 2, arbitrary: tie("object") }
  ),
  list: FastCheck.array(tie("json"), { maxLength: 4 }).map((items) => `[${items.join()}]`),
  object: FastCheck.array(FastCheck.tuple(FastCheck.oneof(text, memberName), tie("json")), { maxLength: 4 }).map(
    (members) => `{${members.map(([key, value]) => `${key}:${value}`).join()}}`
  )
}))

const validText = FastCheck.string({ unit: "binary", maxLength: 60 })
  .filter((value) => value.isWellFormed() && !value.includes("\u0000"))
  .map((value) => JSON.stringify(`a${value}`))

const nonNegative = FastCheck.stringMatching(/^(0|[1-9][0-9]{0,13})(\.[0-9]{1,30})?$/)

const flag = FastCheck.constantFrom("true", "false")

/** Some fields with valid values, as JSON text. */
const validFields = FastCheck.record(
  {
    name: validText,
    description: validText,
    sku: validText,
    seoTitle: FastCheck.oneof(validText, FastCheck.constant("null")),
    price: nonNegative,
    discountedPrice: nonNegative,
    stock: nonNegative,
    weight: nonNegative,
    isActive: flag,
    onSale: flag,
    tags: FastCheck.array(validText, { maxLength: 5 }).map((tags) => `[${tags.join()}]`),
    media: validText.map((alt) => `[{"url":"https://a.example/b","alt":${alt}}]`),
    options: validText.map((name) => `[{"name":${name},"values":[${name},"S"]}]`),
    variants: FastCheck.tuple(nonNegative, validText).map(
      ([n, t]) => `[{"price":${n},"title":${t},"options":{${t}:${t}}}]`
    ),
    metafields: FastCheck.tuple(nonNegative, validText).map(([n, t]) => `{${t}:[{"n":-${n}},null,${t}]}`),
    dimensions: nonNegative.map((width) => `{"width":${width},"unit":"cm"}`)
  },
  { requiredKeys: [] }
).map((fields) => Object.entries(fields))

const objectOf = (members: ReadonlyArray<readonly [string, string]>) =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join()}}`

const validBody = validFields.map((members) => objectOf([["name", '"Cup"'], ...members]))

/** A product with one or two fields replaced by arbitrary JSON. */
const mutatedBody = FastCheck.record({
  members: validFields,
  swapped: FastCheck.dictionary(FastCheck.constantFrom(...FIELDS), json, { minKeys: 1, maxKeys: 2 }),
  wrapped: FastCheck.constantFrom(
    "@",
    "[@]",
    "[{},@]",
    '{"a":@}',
    '[{"url":"https://a.example/b","alt":@}]',
    '[{"price":@}]'
  )
}).map(({ members, swapped, wrapped }) =>
  objectOf([
    ["name", '"Cup"'],
    ...members,
    ...Object.entries(swapped).map(([name, value]) => [name, wrapped.replace("@", () => value)] as const)
  ])
)

/** The body of a product that was truncated, or that had characters inserted. */
const corruptedBody = FastCheck.tuple(mutatedBody, FastCheck.nat(), FastCheck.string({ maxLength: 2 })).map(
  ([body, at, extra]) => {
    const place = at % (body.length + 1)
    return extra === "" ? body.slice(0, place) : body.slice(0, place) + extra + body.slice(place)
  }
)

const body = FastCheck.oneof(
  { weight: 3, arbitrary: validBody },
  { weight: 5, arbitrary: mutatedBody },
  { weight: 2, arbitrary: json },
  { weight: 1, arbitrary: FastCheck.json({ stringUnit: "binary" }) },
  { weight: 1, arbitrary: corruptedBody }
)

const request = FastCheck.record({
  body,
  isPatch: FastCheck.boolean(),
  headers: FastCheck.constantFrom({}, { prefer: "handling=strict" }, { "if-match": '"1"' })
})

/** Asserts that a success is a product, and that an error has an expected status and the common shape. */
const assertAnswer = (answer: Answer, label: string) => {
  assert.oneOf(answer.status, [200, 201, 400, 412, 422], `${label} ${answer.text}`)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  if (answer.status < 300) asProduct(dataOf(answer))
  else assert.isNotEmpty(errorOf(answer).error)
}

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Robustness", (it) => {
  it.effect("any body returns a product or an error below 500 in the common shape", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof install>>>()
      const statuses = new Map<number, number>()
      const property = FastCheck.asyncProperty(
        FastCheck.array(request, { minLength: 1, maxLength: 99, size: "max" }),
        (requests) =>
          Effect.runPromiseWith(runtime)(
            Effect.gen(function* () {
              const { client } = yield* install(storeId)
              const { id } = dataOf(yield* client.post("/products", { name: "Cup", variants: [{ price: 1 }] }))
              yield* Effect.forEach(
                requests,
                ({ body, headers, isPatch }) =>
                  Effect.map(
                    isPatch
                      ? client.patch(`/products/${id}`, body, { headers })
                      : client.post("/products", body, { headers }),
                    (answer) => {
                      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
                      assertAnswer(answer, body)
                    }
                  ),
                { concurrency: 8, discard: true }
              )
            })
          )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 25, interruptAfterTimeLimit: 25_000 }))
      // Both successes and errors occurred.
      for (const status of [200, 201, 400]) assert.isAbove(statuses.get(status) ?? 0, 50, JSON.stringify([...statuses]))
    })
  )

  it.effect("any query of the list returns a page or a 400 in the common shape", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof install>>>()
      const value = FastCheck.oneof(
        FastCheck.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        FastCheck.integer().map(String),
        FastCheck.uuid()
      ).map(encodeURIComponent)
      const raw = FastCheck.constantFrom("%", "%00", "%ZZ", "%F0", "&", "=", "?", "+", "[]", "limit", "cursor[]=1")
      const pair = FastCheck.tuple(
        FastCheck.constantFrom("limit", "cursor", "limit[]", "x", "__proto__", ""),
        FastCheck.oneof(value, raw)
      )
      const queries = FastCheck.array(
        FastCheck.array(pair, { maxLength: 3 }).map((pairs) => pairs.map((parts) => parts.join("=")).join("&")),
        { minLength: 1, maxLength: 99, size: "max" }
      )
      const property = FastCheck.asyncProperty(queries, (queries) =>
        Effect.runPromiseWith(runtime)(
          Effect.gen(function* () {
            const { client } = yield* install(storeId)
            yield* Effect.forEach(
              queries,
              (query) =>
                Effect.map(client.get(`/products?${query}`), (answer) => {
                  assert.oneOf(answer.status, [200, 400], `${query} ${answer.text}`)
                  // The store has no products.
                  if (answer.status === 200) assert.deepStrictEqual(pageOf(answer), { items: [], nextCursor: null })
                  else assert.isNotEmpty(errorOf(answer).error)
                }),
              { concurrency: 8, discard: true }
            )
          })
        )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 10, interruptAfterTimeLimit: 10_000 }))
    })
  )

  it.effect("any path below /products returns an empty list, or a 400 or 404 in the common shape", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof install>>>()
      const part = FastCheck.oneof(
        FastCheck.string({ minLength: 1 }).map(encodeURIComponent),
        FastCheck.constantFrom(
          "%",
          "%00",
          "%2F",
          "%ZZ",
          "%E0%A4%A",
          ".",
          "..",
          "*",
          ":id",
          "products",
          "collections",
          "//"
        )
      )
      const path = FastCheck.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/products/${parts.join("/")}`)
      const method = FastCheck.constantFrom("GET", "PATCH", "DELETE", "PUT", "POST")
      const paths = FastCheck.array(FastCheck.tuple(method, path), { minLength: 1, maxLength: 99, size: "max" })
      const property = FastCheck.asyncProperty(paths, (paths) =>
        Effect.runPromiseWith(runtime)(
          Effect.gen(function* () {
            const { client } = yield* install(storeId)
            yield* Effect.forEach(
              paths,
              ([method, path]) =>
                Effect.map(client.send(method, path, method === "GET" ? {} : { body: {} }), (answer) => {
                  // A path with `..` can resolve to the list of products or of collections. Both are empty.
                  if (answer.status === 200) assert.deepStrictEqual(pageOf(answer), { items: [], nextCursor: null })
                  else {
                    assert.oneOf(answer.status, [400, 404], `${method} ${path} ${answer.text}`)
                    assert.isNotEmpty(errorOf(answer).error)
                  }
                }),
              { concurrency: 8, discard: true }
            )
          })
        )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 10, interruptAfterTimeLimit: 10_000 }))
    })
  )
})
