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

const OUTSIDE_TOLERANCE = "timestamp-outside-tolerance"

describe("Verification of webhook deliveries", () => {
  for (const { headers, name } of [
    ...SCHEMES,
    { name: "both sets of headers", headers: { ...STANDARD, ...SERVICE } }
  ]) {
    it(`accepts ${name} from every type of header container`, async () => {
      const mapHeaders = (change: (entry: readonly [string, string]) => readonly [string, string | Array<string>]) =>
        Object.fromEntries(Object.entries(headers).map(change))
      const nodeHeaders: IncomingHttpHeaders = { ...headers, "x-other": undefined }
      for (const container of [
        headers,
        nodeHeaders,
        new Headers(headers),
        { get: (name: string) => new Map(Object.entries(headers)).get(name) },
        mapHeaders(([name, value]) => [name.toUpperCase(), value]),
        mapHeaders(([name, value]) => [name, [value]])
      ]) {
        assert.deepStrictEqual<unknown>(await verify(container), { ok: true, known: true, event: EVENT })
      }
    })

    it(`accepts ${name} for every type of body`, async () => {
      const bytes = new TextEncoder().encode(BODY)
      const padded = new Uint8Array([1, 2, ...bytes, 3])
      for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY), padded.subarray(2, -1)]) {
        assert.deepStrictEqual<unknown>(await verify(headers, body), { ok: true, known: true, event: EVENT })
      }
    })

    it(`accepts ${name} only if the timestamp is within the tolerance before or after the clock`, async () => {
      for (const offset of [-300, -299.5, 0, 300]) {
        assert.strictEqual(await verdict(headers, BODY, { now: NOW + offset }), "accepted")
      }
      for (const offset of [-301, -300.5, 300.5, 301, 1e6]) {
        assert.strictEqual(await verdict(headers, BODY, { now: NOW + offset }), OUTSIDE_TOLERANCE)
      }
      assert.strictEqual(await verdict(headers, BODY, { toleranceSeconds: 0 }), "accepted")
      assert.strictEqual(await verdict(headers, BODY, { now: NOW + 1, toleranceSeconds: 0 }), OUTSIDE_TOLERANCE)
      assert.strictEqual(await verdict(headers, BODY, { now: 0, toleranceSeconds: Infinity }), "accepted")
      assert.strictEqual(
        await verdict(headers, BODY, { now: undefined, toleranceSeconds: undefined }),
        OUTSIDE_TOLERANCE
      )
    })

    it(`accepts ${name} if one of the receiver's secrets matches`, async () => {
      const other = newSecret()
      for (const secrets of [[other, SECRET], [SECRET, other], [SECRET]]) {
        assert.isTrue((await verifyWebhook(secrets, headers, BODY, { now: NOW })).ok)
      }
      const result = await verifyWebhook([other, newSecret()], headers, BODY, { now: NOW })
      assert.deepInclude(result, { ok: false, reason: "signature-mismatch" })
    })
  }

  it("accepts a header with several signatures if one of them matches", async () => {
    const valid = standardSignature(SECRET, UNSIGNED)
    const invalid = standardSignature(newSecret(), UNSIGNED)
    for (const items of [
      [invalid, valid],
      [valid, invalid],
      [`v1a,${"A".repeat(86)}==`, valid],
      [valid, "v2,x"],
      ["v1,short", valid]
    ]) {
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": items.join(" ") }), "accepted")
    }
  })

  it("accepts the service's own headers under the old or new secret during a rotation", async () => {
    const next = newSecret()
    const headers = rotatingHeaders(SECRET, next, UNSIGNED)
    for (const secrets of [SECRET, next, [next, SECRET], [newSecret(), next]]) {
      assert.isTrue((await verifyWebhook(secrets, headers, BODY, { now: NOW })).ok)
    }
    const otherResult = await verifyWebhook(newSecret(), headers, BODY, { now: NOW })
    assert.deepInclude(otherResult, { ok: false, reason: "signature-mismatch" })
  })

  it("accepts an event of an unknown kind and marks it as unknown", async () => {
    const event = { ...EVENT, kind: "orders.order.created.v1", data: { order: [1] }, more: true }
    const body = JSON.stringify(event)
    const result = await verify(standardHeaders(SECRET, { ...UNSIGNED, body }), body)
    assert.deepStrictEqual<unknown>(result, { ok: true, known: false, event })
  })

  it("accepts every event kind and actor, and rejects data without the resource of the kind", async () => {
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

  it("verifies the bytes at the time of the call, even if the caller changes them afterwards", async () => {
    const bytes = new TextEncoder().encode(BODY)
    const result = verify(STANDARD, bytes)
    bytes.fill(0)
    assert.deepStrictEqual<unknown>(await result, { ok: true, known: true, event: EVENT })
  })

  it("verifies the UTF-8 encoding of a text body, with lone surrogates replaced by U+FFFD", async () => {
    const body = BODY.replace("Café", "\ud800")
    const headers = signedHeaders(SECRET, { ...UNSIGNED, body: new TextEncoder().encode(body) })
    assert.include(JSON.stringify(await verify(headers, body)), "\ufffd")
  })
})

/** Message of the TypeError with which the promise rejects. */
const typeErrorMessage = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof TypeError ? error.message : "another error")
  )

/** Calls as JavaScript does, without types. */
const call = (...args: ReadonlyArray<unknown>): Promise<unknown> => Reflect.apply(verifyWebhook, undefined, args)

describe("Invalid arguments of verifyWebhook", () => {
  it("rejects an invalid secret with a TypeError that does not contain it", async () => {
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
      for (const secrets of [secret, [SECRET, secret]]) {
        const errorMessage = await typeErrorMessage(verifyWebhook(secrets, STANDARD, BODY))
        assert.match(errorMessage, /^secret must be whsec_ and the base64 of 24 to 64 bytes/, secret)
        assert.notInclude(errorMessage, SECRET.slice(6, 20))
      }
    }
    assert.match(await typeErrorMessage(verifyWebhook([], STANDARD, BODY)), /^secret must be/)
  })

  it("accepts secrets of 24 to 64 bytes", async () => {
    for (let size = 24; size <= 64; size++) {
      const secret = `whsec_${randomBytes(size).toString("base64")}`
      const result = await verifyWebhook(secret, signedHeaders(secret, UNSIGNED), BODY, { now: NOW })
      assert.isTrue(result.ok, String(size))
    }
  })

  it("rejects a negative or NaN tolerance and a clock that is not finite", async () => {
    for (const wrong of [{ toleranceSeconds: NaN }, { toleranceSeconds: -1 }, { now: NaN }, { now: Infinity }]) {
      assert.match(await typeErrorMessage(verify(STANDARD, BODY, wrong)), /must be seconds$/)
    }
  })

  it("rejects missing arguments with a TypeError that names them", async () => {
    for (const missing of [undefined, null, 12, {}, [undefined]]) {
      assert.match(await typeErrorMessage(call(missing, STANDARD, BODY)), /^secret must be whsec_/)
    }
    for (const missing of [undefined, null, "", 12]) {
      assert.match(await typeErrorMessage(call(SECRET, missing, BODY)), /^headers must be/)
    }
    for (const missing of [undefined, null]) {
      assert.match(await typeErrorMessage(call(SECRET, STANDARD, missing)), /^rawBody must be/)
    }
    assert.match(await typeErrorMessage(call()), /^secret must be/)
  })

  it("rejects a body that is already parsed", async () => {
    const parsed = JSON.parse(BODY)
    assert.match(await typeErrorMessage(verify(STANDARD, parsed)), /not parsed JSON$/)
  })
})
