import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { EVENTS } from "../../../src/domain/Events.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import {
  BODY,
  EVENT,
  newSecret,
  NOW,
  rotatingHeaders,
  SCHEMES,
  SECRET,
  SERVICE,
  signedHeaders,
  STANDARD,
  standardHeaders,
  standardSignature,
  UNSIGNED,
  verdict,
  verify
} from "../../support/webhooks/Signing.ts"

const OLD = "timestamp-outside-tolerance"

describe("A delivery is accepted", () => {
  for (const { headers, name } of [...SCHEMES, { name: "both", headers: { ...STANDARD, ...SERVICE } }]) {
    it(`by ${name}, whatever holds the headers`, async () => {
      const spell = (change: (given: readonly [string, string]) => readonly [string, string | Array<string>]) =>
        Object.fromEntries(Object.entries(headers).map(change))
      const ofNode: IncomingHttpHeaders = { ...headers, "x-other": undefined }
      for (const given of [
        headers,
        ofNode,
        new Headers(headers),
        { get: (name: string) => new Map(Object.entries(headers)).get(name) },
        spell(([name, value]) => [name.toUpperCase(), value]),
        spell(([name, value]) => [name, [value]])
      ]) {
        assert.deepStrictEqual<unknown>(await verify(given), { ok: true, known: true, event: EVENT })
      }
    })

    it(`by ${name}, whatever holds the body`, async () => {
      const bytes = new TextEncoder().encode(BODY)
      const within = new Uint8Array([1, 2, ...bytes, 3])
      for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY), within.subarray(2, -1)]) {
        assert.deepStrictEqual<unknown>(await verify(headers, body), { ok: true, known: true, event: EVENT })
      }
    })

    it(`by ${name}, for as long as its timestamp is near the clock, before and after it`, async () => {
      for (const away of [-300, -299.5, 0, 300]) {
        assert.strictEqual(await verdict(headers, BODY, { now: NOW + away }), "accepted")
      }
      for (const away of [-301, -300.5, 300.5, 301, 1e6]) {
        assert.strictEqual(await verdict(headers, BODY, { now: NOW + away }), OLD)
      }
      assert.strictEqual(await verdict(headers, BODY, { toleranceSeconds: 0 }), "accepted")
      assert.strictEqual(await verdict(headers, BODY, { now: NOW + 1, toleranceSeconds: 0 }), OLD)
      assert.strictEqual(await verdict(headers, BODY, { now: 0, toleranceSeconds: Infinity }), "accepted")
      assert.strictEqual(await verdict(headers, BODY, { now: undefined, toleranceSeconds: undefined }), OLD)
    })

    it(`by ${name}, under any of the receiver's secrets`, async () => {
      const other = newSecret()
      for (const secrets of [[other, SECRET], [SECRET, other], [SECRET]]) {
        assert.isTrue((await verifyWebhook(secrets, headers, BODY, { now: NOW })).ok)
      }
      const result = await verifyWebhook([other, newSecret()], headers, BODY, { now: NOW })
      assert.deepInclude(result, { ok: false, reason: "signature-mismatch" })
    })
  }

  it("when one of several signatures fits, and those of other versions are passed over", async () => {
    const right = standardSignature(SECRET, UNSIGNED)
    const wrong = standardSignature(newSecret(), UNSIGNED)
    for (const items of [
      [wrong, right],
      [right, wrong],
      [`v1a,${"A".repeat(86)}==`, right],
      [right, "v2,x"],
      ["v1,short", right]
    ]) {
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": items.join(" ") }), "accepted")
    }
  })

  it("by the service's own headers while the secret rotates, under the old one, the new one and both", async () => {
    const next = newSecret()
    const headers = rotatingHeaders(SECRET, next, UNSIGNED)
    for (const secrets of [SECRET, next, [next, SECRET], [newSecret(), next]]) {
      assert.isTrue((await verifyWebhook(secrets, headers, BODY, { now: NOW })).ok)
    }
    const stranger = await verifyWebhook(newSecret(), headers, BODY, { now: NOW })
    assert.deepInclude(stranger, { ok: false, reason: "signature-mismatch" })
  })

  it("when its kind is one that came later", async () => {
    const event = { ...EVENT, kind: "orders.order.created.v1", data: { order: [1] }, more: true }
    const body = JSON.stringify(event)
    const result = await verify(standardHeaders(SECRET, { ...UNSIGNED, body }), body)
    assert.deepStrictEqual<unknown>(result, { ok: true, known: false, event })
  })

  it("of every kind that the service has, whoever acted, with or without an origin", async () => {
    const { originInstallationId: _, ...rest } = EVENT
    for (const [kind, { resource }] of Object.entries(EVENTS)) {
      for (const type of ["app", "merchant", "agent"]) {
        const event = { ...(type === "app" ? EVENT : rest), kind, actor: { type } }
        for (const [name, expected] of [
          [resource, "accepted"],
          ["other", "malformed-body"]
        ] as const) {
          const body = JSON.stringify({ ...event, data: { [name]: EVENT.data.product } })
          assert.strictEqual(await verdict(standardHeaders(SECRET, { ...UNSIGNED, body }), body), expected, body)
        }
      }
    }
  })

  it("for the bytes that were signed, whatever the caller does to them meanwhile", async () => {
    const bytes = new TextEncoder().encode(BODY)
    const result = verify(STANDARD, bytes)
    bytes.fill(0)
    assert.deepStrictEqual<unknown>(await result, { ok: true, known: true, event: EVENT })
  })

  it("for the bytes that were signed, of which a text may be more than one spelling", async () => {
    const body = BODY.replace("Café", "\ud800")
    const headers = signedHeaders(SECRET, { ...UNSIGNED, body: new TextEncoder().encode(body) })
    assert.include(JSON.stringify(await verify(headers, body)), "\ufffd")
  })
})

/** What a caller is told that made a mistake itself. */
const mistake = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof TypeError ? error.message : "another error")
  )

describe("A caller is told of its own mistake", () => {
  it("by a secret that is none, which is not repeated", async () => {
    for (const secret of [
      "",
      "whsec_",
      SECRET.slice(6),
      SECRET.slice(0, -1),
      `${SECRET}\n`,
      ` ${SECRET}`,
      `whsec_${randomBytes(23).toString("base64")}`,
      `whsec_${randomBytes(65).toString("base64")}`,
      SECRET.replace("whsec_", "WHSEC_")
    ]) {
      for (const given of [secret, [SECRET, secret]]) {
        const said = await mistake(verifyWebhook(given, STANDARD, BODY))
        assert.match(said, /^secret must be whsec_ and the base64 of 24 to 64 bytes/, secret)
        assert.notInclude(said, SECRET.slice(6, 20))
      }
    }
    assert.match(await mistake(verifyWebhook([], STANDARD, BODY)), /^secret must be/)
  })

  it("and secrets of 24 to 64 bytes are taken", async () => {
    for (let size = 24; size <= 64; size++) {
      const secret = `whsec_${randomBytes(size).toString("base64")}`
      const result = await verifyWebhook(secret, signedHeaders(secret, UNSIGNED), BODY, { now: NOW })
      assert.isTrue(result.ok, String(size))
    }
  })

  it("by a tolerance or a clock that is no number of seconds", async () => {
    for (const wrong of [{ toleranceSeconds: NaN }, { toleranceSeconds: -1 }, { now: NaN }, { now: Infinity }]) {
      assert.match(await mistake(verify(STANDARD, BODY, wrong)), /must be seconds$/)
    }
  })

  it("by a body that something has parsed", async () => {
    const parsed = JSON.parse(BODY)
    assert.match(await mistake(verify(STANDARD, parsed)), /not parsed JSON$/)
  })
})
