import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, errorOf, freshClient, install } from "./Api.ts"

/** A value in a request, and the same value in the response. */
type Accepted = readonly [sent: unknown, shown: unknown]

/** Accepted and rejected values of a product field. */
export interface Field {
  readonly accepts: ReadonlyArray<Accepted>
  readonly refuses: ReadonlyArray<unknown>
}

export const asSent = (...values: ReadonlyArray<unknown>): ReadonlyArray<Accepted> =>
  values.map((value) => [value, value])

export const nullable = ({ accepts, refuses }: Field): Field => ({ accepts: [...accepts, [null, null]], refuses })
export const notNull = ({ accepts, refuses }: Field): Field => ({ accepts, refuses: [...refuses, null] })

export const times = <A>(count: number, item: A) => Array.from({ length: count }, () => item)

/** URL with exactly `length` characters. */
export const addressOf = (length: number) => "https://images.example.com/".padEnd(length, "x")

/** Values that are not absolute web URLs. */
export const NOT_WEB = [
  "ftp://example.com/a",
  "/a.jpg",
  "//example.com/a",
  "example.com/a.jpg",
  "",
  "javascript:alert(1)",
  "data:image/png;base64,AAAA",
  "https://",
  "https:example.com/a",
  "https:/example.com/a",
  "https:///example.com/",
  "https://\\example.com",
  "https:\\\\example.com\\a",
  "https://example.com\\a",
  "https://example.com/a\\b",
  "https://?a",
  "https://#a",
  "https://:80/",
  "https://a b/",
  "https://example.com:65536/",
  ...["\n", "\t", "\r", " ", "\u0001", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff"].flatMap((gap) => [
    `${gap}https://example.com/`,
    `https://example.com/${gap}`,
    `https://exa${gap}mple.com/`,
    `https://example.com/a${gap}b`,
    `htt${gap}ps://example.com/`
  ])
]

/** Asserts that a create and an update accept each value and return it. */
export const assertAccepts = Effect.fn(function* (name: string, { accepts }: Field) {
  const { client } = yield* freshClient()
  const { id } = dataOf(yield* client.post("/products", { name: "Changed" }))
  for (const [sent, shown] of accepts) {
    const patched = yield* client.patch(`/products/${id}`, { [name]: sent })
    assert.strictEqual(patched.status, 200, patched.text.slice(0, 300))
    assert.deepStrictEqual(dataOf(patched)[name], shown)
    // Frees the slug for the next create.
    yield* client.patch(`/products/${id}`, { slug: `moved-${id}` })
    const created = yield* client.post("/products", { name: "Created", [name]: sent })
    assert.strictEqual(created.status, 201, created.text.slice(0, 300))
    assert.deepStrictEqual(dataOf(created)[name], shown)
  }
})

/**
 * Asserts that a create and an update reject each value with 400 and an issue that names the field, and change nothing.
 */
export const assertRefuses = Effect.fn(function* (name: string, { refuses }: Field) {
  const { client, storeId } = yield* freshClient()
  const { client: second } = yield* install(storeId)
  const product = dataOf(yield* client.post("/products", { name: "Cup" }))
  for (const value of refuses) {
    const body = { name: "Mug", [name]: value }
    const answers = [yield* client.post("/products", body), yield* second.patch(`/products/${product["id"]}`, body)]
    for (const answer of answers) {
      assert.strictEqual(answer.status, 400, `${JSON.stringify(value).slice(0, 80)} ${answer.text.slice(0, 300)}`)
      const { issues = [] } = errorOf(answer)
      assert.isAbove(issues.length, 0)
      for (const line of issues) assert.match(line, new RegExp(`^${name}(\\.[\\w.]+)?: \\S`))
    }
  }
  assert.deepStrictEqual((yield* client.get("/products")).json, { products: [product], nextCursor: null })
})
