import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  BODY,
  EVENT,
  newSecret,
  NOW,
  rotatingHeaders,
  SCHEMES,
  SECRET,
  SERVICE,
  STANDARD,
  standardHeaders,
  standardSignature,
  UNSIGNED,
  verdict,
  verify
} from "../../support/webhooks/Signing.ts"

const SIGNATURE = standardSignature(SECRET, UNSIGNED)
const HEX = SERVICE["x-service-signature"] ?? ""

const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))

describe("Rejection of webhook deliveries", () => {
  it("rejects a delivery that lacks a required header", async () => {
    for (const headers of [{}, new Headers(), { "webhook-id": [], "x-service-timestamp": undefined }]) {
      assert.strictEqual(await verdict(headers), "missing-header")
    }
    for (const name of Object.keys(SERVICE)) {
      assert.strictEqual(await verdict(without(rotatingHeaders(newSecret(), SECRET, UNSIGNED), name)), "missing-header")
      assert.strictEqual(await verdict(without(SERVICE, name)), "missing-header")
      assert.strictEqual(await verdict({ ...SERVICE, [name]: undefined }), "missing-header")
    }
  })

  it("rejects incomplete or forged Standard Webhooks headers even if the service's own headers are valid", async () => {
    for (const name of Object.keys(STANDARD)) {
      assert.strictEqual(await verdict({ ...SERVICE, ...without(STANDARD, name) }), "missing-header")
      assert.strictEqual(
        await verdict({ ...SERVICE, [name]: "" }),
        name === "webhook-id" ? "malformed-header" : "missing-header"
      )
      assert.strictEqual(await verdict({ ...SERVICE, ...STANDARD, [name]: "" }), "malformed-header")
    }
    const forged = standardHeaders(newSecret(), UNSIGNED)
    assert.strictEqual(await verdict({ ...SERVICE, ...forged }), "signature-mismatch")
  })

  it("rejects a header that occurs twice, even with the same value", async () => {
    for (const { headers } of SCHEMES) {
      for (const [name, value] of Object.entries(headers)) {
        const joined = new Headers(headers)
        joined.append(name, value)
        for (const repeated of [
          joined,
          { ...headers, [name]: [value, value] },
          { ...headers, [name.toUpperCase()]: value }
        ]) {
          assert.strictEqual(await verdict(repeated), "malformed-header", name)
        }
      }
    }
  })

  it("rejects a signed timestamp that is not a decimal number of seconds", async () => {
    const spellings = ["1e9", " 5", "5 ", "-1", "0x10", "0", "", "NaN", "Infinity", "1.5", "01763600000", "+5", "٥"]
    for (const timestamp of [...spellings, `${NOW}.0`, `${NOW}\n`, `${NOW}000`, "9".repeat(400), "1,763"]) {
      for (const { sign } of SCHEMES) {
        assert.strictEqual(await verdict(sign(SECRET, { ...UNSIGNED, timestamp })), "malformed-header", timestamp)
      }
    }
  })

  it("rejects a signed webhook-id that is empty, too long or contains ambiguous characters", async () => {
    for (const id of ["", "a.b", `${EVENT.id} `, ` ${EVENT.id}`, "a b", "é", "a\nb", "a,b", "a".repeat(513)]) {
      assert.strictEqual(await verdict(standardHeaders(SECRET, { ...UNSIGNED, id })), "malformed-header", id)
    }
  })

  it("rejects a malformed signature header", async () => {
    for (const value of [
      "",
      " ",
      SIGNATURE.slice(3),
      ` ${SIGNATURE}`,
      `${SIGNATURE} `,
      `${SIGNATURE}  ${SIGNATURE}`,
      `${SIGNATURE}\t${SIGNATURE}`,
      `${SIGNATURE},`,
      `v1, ${SIGNATURE.slice(3)}`,
      Array.from({ length: 11 }, () => SIGNATURE).join(" "),
      `${SIGNATURE} ${"v2,x ".repeat(100_000)}`
    ]) {
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": value }), "malformed-header")
    }
    for (const value of ["", HEX.toUpperCase(), HEX.slice(1), `${HEX}00`, ` ${HEX}`, `v1=${HEX}`, `${HEX},${HEX}`]) {
      for (const name of ["x-service-signature", "x-service-signature-next"]) {
        assert.strictEqual(await verdict({ ...SERVICE, [name]: value }), "malformed-header")
      }
    }
  })

  it("rejects a signature header without a matching v1 signature", async () => {
    for (const value of [
      `v1a,${SIGNATURE.slice(3)}`,
      `V1,${SIGNATURE.slice(3)}`,
      "v1,AAAA",
      SIGNATURE.slice(0, -1),
      `${SIGNATURE}=`,
      standardSignature(newSecret(), UNSIGNED)
    ]) {
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": value }), "signature-mismatch", value)
    }
  })

  it("rejects the signature of the other scheme", async () => {
    const service = `v1,${Buffer.from(HEX, "hex").toString("base64")}`
    assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": service }), "signature-mismatch")
    const standard = Buffer.from(SIGNATURE.slice(3), "base64").toString("hex")
    assert.strictEqual(await verdict({ ...SERVICE, "x-service-signature": standard }), "signature-mismatch")
  })

  it("rejects a base64 signature whose two unused bits are not zero", async () => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const last = digits.indexOf(SIGNATURE.at(-2) ?? "")
    for (const unused of [1, 2, 3]) {
      const other = `${SIGNATURE.slice(0, -2)}${digits[last + unused]}=`
      assert.deepStrictEqual(atob(other.slice(3)), atob(SIGNATURE.slice(3)))
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": other }), "signature-mismatch")
    }
  })

  it("rejects a signed body that is not an event", async () => {
    for (const body of [
      "",
      "{",
      "null",
      "[]",
      '"text"',
      `\ufeff${BODY}`,
      "[".repeat(100_000),
      JSON.stringify({ ...EVENT, hops: undefined }),
      ...Object.keys(EVENT).map((key) => JSON.stringify({ ...EVENT, [key]: 7.5 })),
      JSON.stringify({ ...EVENT, actor: { type: "stranger" } }),
      JSON.stringify({ ...EVENT, data: { product: { id: EVENT.id } } }),
      JSON.stringify({ ...EVENT, data: { product: [] } }),
      Buffer.from(BODY, "latin1")
    ]) {
      for (const { sign } of SCHEMES) {
        assert.strictEqual(await verdict(sign(SECRET, { ...UNSIGNED, body }), body), "malformed-body", String(body))
      }
    }
  })

  it("rejects a signed webhook-id that differs from the id of the event", async () => {
    assert.strictEqual(await verdict(standardHeaders(SECRET, { ...UNSIGNED, id: "another" })), "id-mismatch")
  })

  it("an error message names the header and contains neither the secret nor the received value", async () => {
    const result = await verify({ ...STANDARD, "webhook-timestamp": "sent" })
    assert.deepStrictEqual<unknown>(result, {
      ok: false,
      reason: "malformed-header",
      message: "webhook-timestamp is malformed"
    })
  })
})

describe("Forged webhook deliveries", () => {
  for (const { headers, name } of SCHEMES) {
    it(`verification by ${name} rejects a body with any flipped bit`, async () => {
      const bytes = Buffer.from(BODY)
      const property = fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const body = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit))
        assert.strictEqual(await verdict(headers, body), "signature-mismatch")
      })
      await fc.assert(property, { numRuns: 300 })
    })

    it(`verification by ${name} rejects a header with any flipped bit`, async () => {
      for (const [header, value] of Object.entries(headers)) {
        for (let at = 0; at < value.length; at++) {
          for (let bit = 0; bit < 8; bit++) {
            const flipped = String.fromCharCode(value.charCodeAt(at) ^ (1 << bit))
            const forged = { ...headers, [header]: `${value.slice(0, at)}${flipped}${value.slice(at + 1)}` }
            assert.notStrictEqual(await verdict(forged), "accepted", forged[header])
          }
        }
      }
    })

    it(`verification by ${name} rejects arbitrary headers and bodies and never throws`, async () => {
      const text = fc.string({ unit: "binary", maxLength: 40 })
      const valueOf = (validValue: string) =>
        fc.oneof(fc.constant(validValue), text, fc.constant(undefined), fc.array(text))
      const receivedHeaders = fc.record(
        Object.fromEntries(Object.entries(headers).map(([name, validValue]) => [name, valueOf(validValue)]))
      )
      const property = fc.asyncProperty(receivedHeaders, fc.oneof(text, fc.uint8Array()), async (received, body) => {
        assert.notStrictEqual(await verdict(received, body), "accepted")
      })
      await fc.assert(property, { numRuns: 100 })
    })
  }
})
