import { assert, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { formatStoreToken, storeOfToken } from "../../../src/layers/access/StoreTokens.ts"
import { StoreId } from "../../../src/domain/Store.ts"

const STORE = StoreId.make("01890a5d-ac96-774b-bcce-b302099a8057")

const read = (text: string) => storeOfToken(Redacted.make(text))

it("a token names its kind and its store, and holds 256 random bits", () => {
  const token = formatStoreToken("pa_", STORE)
  assert.match(Redacted.value(token), /^pa_[\w-]{70}$/)
  assert.deepStrictEqual(storeOfToken(token), Option.some(STORE))
  assert.notStrictEqual(Redacted.value(formatStoreToken("pa_", STORE)), Redacted.value(token))
})

it("a secret gives one token, so that a repeated exchange returns the same one", () => {
  const secret = Buffer.alloc(32, 7)
  const [first, second] = [formatStoreToken("pr_", STORE, secret), formatStoreToken("pr_", STORE, secret)]
  assert.strictEqual(Redacted.value(first), Redacted.value(second))
})

it("a token with another checksum, prefix or length names no store", () => {
  const text = Redacted.value(formatStoreToken("pa_", STORE))
  const middle = text.at(40) === "A" ? "B" : "A"
  const changed = `${text.slice(0, 40)}${middle}${text.slice(41)}`
  for (const other of [
    changed,
    text.replace("pa_", "pr_"),
    text.replace("pa_", "px_"),
    text.slice(0, -1),
    `${text}A`
  ]) {
    assert.deepStrictEqual(read(other), Option.none(), other)
  }
})

it("a token of earlier releases names no store", () => {
  assert.deepStrictEqual(read("Vn1q0m6v3o8aGQ2yJ6n4m1nq0b7sJ1c5yq2nJ5d8s7Q"), Option.none())
})
