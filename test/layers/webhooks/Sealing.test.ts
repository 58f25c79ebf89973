import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as FastCheck from "fast-check"
import { randomBytes, randomUUID } from "node:crypto"
import { AppId } from "../../../src/domain/access/Ids.ts"
import { KEY_BYTES, makeSealing } from "../../../src/layers/webhooks/Sealing.ts"

const key = () => randomBytes(KEY_BYTES)
const app = () => AppId.make(randomUUID())

it("a sealed secret hides the secret, differs each time, and decrypts to the secret", () => {
  const { isCurrent, open, seal } = makeSealing(key())
  FastCheck.assert(
    FastCheck.property(FastCheck.string({ minLength: 8 }), (secret) => {
      const appId = app()
      const sealed = seal(appId, secret)
      assert.match(sealed, /^aes256gcm\.[0-9a-f]{16}\.[\w-]+$/)
      assert.notInclude(sealed, secret)
      assert.notStrictEqual(seal(appId, secret), sealed)
      assert.isTrue(isCurrent(sealed))
      assert.deepStrictEqual(open(appId, sealed), Option.some(secret))
    })
  )
})

it("a sealed secret decrypts only for its app and only if it is unchanged", () => {
  const { open, seal } = makeSealing(key())
  const appId = app()
  const sealed = seal(appId, "whsec_secret")
  assert.deepStrictEqual(open(app(), sealed), Option.none())
  const box = sealed.lastIndexOf(".") + 1
  for (let place = box; place < sealed.length; place++) {
    const other = sealed[place] === "A" ? "Q" : "A"
    assert.deepStrictEqual(open(appId, sealed.slice(0, place) + other + sealed.slice(place + 1)), Option.none())
  }
  for (const length of [box, box + 10, box + 38]) {
    assert.deepStrictEqual(open(appId, sealed.slice(0, length)), Option.none())
  }
})

it("the previous key decrypts but does not encrypt; other keys decrypt nothing", () => {
  const [before, now] = [key(), key()]
  const appId = app()
  const sealed = makeSealing(before).seal(appId, "whsec_secret")
  const both = makeSealing(now, before)
  assert.deepStrictEqual(both.open(appId, sealed), Option.some("whsec_secret"))
  assert.isFalse(both.isCurrent(sealed))
  assert.isTrue(both.isCurrent(both.seal(appId, "whsec_secret")))
  assert.deepStrictEqual(makeSealing(now).open(appId, sealed), Option.none())
})

it("plain text secrets of earlier releases are returned unchanged", () => {
  const { isCurrent, open } = makeSealing(key())
  assert.deepStrictEqual(open(app(), "whsec_plain"), Option.some("whsec_plain"))
  assert.isFalse(isCurrent("whsec_plain"))
})
