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

describe("A delivery is refused", () => {
  it("without its headers", async () => {
    for (const headers of [{}, new Headers(), { "webhook-id": [], "x-service-timestamp": undefined }]) {
      assert.strictEqual(await verdict(headers), "missing-header")
    }
    for (const name of Object.keys(SERVICE)) {
      assert.strictEqual(await verdict(without(rotatingHeaders(newSecret(), SECRET, UNSIGNED), name)), "missing-header")
      assert.strictEqual(await verdict(without(SERVICE, name)), "missing-header")
      assert.strictEqual(await verdict({ ...SERVICE, [name]: undefined }), "missing-header")
    }
  })

  it("when one header of Standard Webhooks is there but not the others, though it is signed the other way too", async () => {
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

  it("when a header is there twice, even twice the same", async () => {
    for (const { headers } of SCHEMES) {
      for (const [name, value] of Object.entries(headers)) {
        const joined = new Headers(headers)
        joined.append(name, value)
        for (const given of [
          joined,
          { ...headers, [name]: [value, value] },
          { ...headers, [name.toUpperCase()]: value }
        ]) {
          assert.strictEqual(await verdict(given), "malformed-header", name)
        }
      }
    }
  })

  it("when its timestamp is spelled in another way than decimal digits, though it is signed so", async () => {
    const spellings = ["1e9", " 5", "5 ", "-1", "0x10", "0", "", "NaN", "Infinity", "1.5", "01763600000", "+5", "٥"]
    for (const timestamp of [...spellings, `${NOW}.0`, `${NOW}\n`, `${NOW}000`, "9".repeat(400), "1,763"]) {
      for (const { sign } of SCHEMES) {
        assert.strictEqual(await verdict(sign(SECRET, { ...UNSIGNED, timestamp })), "malformed-header", timestamp)
      }
    }
  })

  it("when its id could be taken for something else, though it is signed so", async () => {
    for (const id of ["", "a.b", `${EVENT.id} `, ` ${EVENT.id}`, "a b", "é", "a\nb", "a,b", "a".repeat(513)]) {
      assert.strictEqual(await verdict(standardHeaders(SECRET, { ...UNSIGNED, id })), "malformed-header", id)
    }
  })

  it("when its signature is in no form of a signature", async () => {
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

  it("when no signature of version 1 fits", async () => {
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

  it("when its signature is the one of the other scheme", async () => {
    const service = `v1,${Buffer.from(HEX, "hex").toString("base64")}`
    assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": service }), "signature-mismatch")
    const standard = Buffer.from(SIGNATURE.slice(3), "base64").toString("hex")
    assert.strictEqual(await verdict({ ...SERVICE, "x-service-signature": standard }), "signature-mismatch")
  })

  it("when its signature is spelled with the two bits that base64 leaves unused", async () => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const last = digits.indexOf(SIGNATURE.at(-2) ?? "")
    for (const unused of [1, 2, 3]) {
      const other = `${SIGNATURE.slice(0, -2)}${digits[last + unused]}=`
      assert.deepStrictEqual(atob(other.slice(3)), atob(SIGNATURE.slice(3)))
      assert.strictEqual(await verdict({ ...STANDARD, "webhook-signature": other }), "signature-mismatch")
    }
  })

  it("when what is signed is no event", async () => {
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

  it("when webhook-id is not the id of the event that is signed with it", async () => {
    assert.strictEqual(await verdict(standardHeaders(SECRET, { ...UNSIGNED, id: "another" })), "id-mismatch")
  })

  it("in words that repeat neither the secret nor what was sent", async () => {
    const result = await verify({ ...STANDARD, "webhook-timestamp": "sent" })
    assert.deepStrictEqual<unknown>(result, {
      ok: false,
      reason: "malformed-header",
      message: "webhook-timestamp is malformed"
    })
  })
})

describe("A forged delivery", () => {
  for (const { headers, name } of SCHEMES) {
    it(`is refused by ${name} when any bit of the body is another`, async () => {
      const bytes = Buffer.from(BODY)
      const property = fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const body = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit))
        assert.strictEqual(await verdict(headers, body), "signature-mismatch")
      })
      await fc.assert(property, { numRuns: 300 })
    })

    it(`is refused by ${name} when any bit of a header is another`, async () => {
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

    it(`is refused by ${name} and breaks nothing, whatever its headers and its body are`, async () => {
      const text = fc.string({ unit: "binary", maxLength: 40 })
      const valueOf = (right: string) => fc.oneof(fc.constant(right), text, fc.constant(undefined), fc.array(text))
      const sent = fc.record(Object.fromEntries(Object.entries(headers).map(([name, right]) => [name, valueOf(right)])))
      const property = fc.asyncProperty(sent, fc.oneof(text, fc.uint8Array()), async (given, body) => {
        assert.notStrictEqual(await verdict(given, body), "accepted")
      })
      await fc.assert(property, { numRuns: 100 })
    })
  }
})
