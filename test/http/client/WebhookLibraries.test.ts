import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import {
  BODY,
  newSecret,
  rotatingHeaders,
  SECRET,
  serviceHeaders,
  signedHeaders,
  standardHeaders,
  standardSignature,
  UNSIGNED
} from "../../support/webhooks/Signing.ts"
import { type Acceptance, stripeAccepts, verifyWithLibraries } from "../../support/webhooks/Verifiers.ts"

/** The libraries read the machine's clock. */
const signedAgo = (seconds: number) => ({ ...UNSIGNED, timestamp: Math.floor(Date.now() / 1000) - seconds })

const ALL: Acceptance = { stripe: true, svix: true, standardwebhooks: true }
const NONE: Acceptance = { stripe: false, svix: false, standardwebhooks: false }

/** Ours by Standard Webhooks, ours by the service's own headers alone, and what the libraries say. */
const verdicts = async (secret: string, headers: Record<string, string>, body: string) => {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-service-")))
  return {
    standard: (await verifyWebhook(secret, headers, body)).ok,
    service: (await verifyWebhook(secret, own, body)).ok,
    libraries: verifyWithLibraries(secret, headers, body)
  }
}

describe("The unmodified libraries stripe, svix and standardwebhooks", () => {
  it("accept what verifyWebhook accepts", async () => {
    for (const ago of [0, 290]) {
      const headers = signedHeaders(SECRET, signedAgo(ago))
      assert.deepStrictEqual(await verdicts(SECRET, headers, BODY), { standard: true, service: true, libraries: ALL })
    }
  })

  it("accept it while the secret rotates", async () => {
    const [unsigned, other] = [signedAgo(0), newSecret()]
    const both = `${standardSignature(other, unsigned)} ${standardSignature(SECRET, unsigned)}`
    const rotating = rotatingHeaders(SECRET, other, unsigned)
    const headers = { ...signedHeaders(SECRET, unsigned), ...rotating, "webhook-signature": both }
    assert.deepStrictEqual(await verdicts(SECRET, headers, BODY), { standard: true, service: true, libraries: ALL })
    assert.deepStrictEqual(await verdicts(other, headers, BODY), {
      standard: true,
      service: true,
      libraries: { ...ALL, stripe: false }
    })
    assert.isTrue(stripeAccepts(other, headers, BODY, ["x-service-signature-next"]))
    assert.isFalse(stripeAccepts(SECRET, headers, BODY, ["x-service-signature-next"]))
  })

  it("refuse what verifyWebhook refuses", async () => {
    const headers = signedHeaders(SECRET, signedAgo(0))
    const stranger = signedHeaders(newSecret(), signedAgo(0))
    const shifted = {
      "x-service-timestamp": String(signedAgo(1).timestamp),
      "webhook-timestamp": String(signedAgo(1).timestamp)
    }
    for (const [given, body] of [
      [headers, BODY.replace("Caf", "Kaf")],
      [headers, `${BODY} `],
      [stranger, BODY],
      [{ ...headers, ...shifted }, BODY],
      [signedHeaders(SECRET, signedAgo(310)), BODY],
      [{}, BODY]
    ] as const) {
      assert.deepStrictEqual(await verdicts(SECRET, given, body), { standard: false, service: false, libraries: NONE })
    }
  })

  it("look each at its own headers", () => {
    assert.deepStrictEqual(verifyWithLibraries(SECRET, standardHeaders(SECRET, signedAgo(0)), BODY), {
      ...ALL,
      stripe: false
    })
    assert.deepStrictEqual(verifyWithLibraries(SECRET, serviceHeaders(SECRET, signedAgo(0)), BODY), {
      ...NONE,
      stripe: true
    })
  })

  it("are less strict in places: stripe takes timestamps to come, the others items that follow no form", async () => {
    const early = signedHeaders(SECRET, signedAgo(-310))
    assert.deepStrictEqual(await verdicts(SECRET, early, BODY), {
      standard: false,
      service: false,
      libraries: { ...NONE, stripe: true }
    })
    const unsigned = signedAgo(0)
    const loose = { ...signedHeaders(SECRET, unsigned), "webhook-signature": `${standardSignature(SECRET, unsigned)},` }
    assert.deepStrictEqual(await verdicts(SECRET, loose, BODY), { standard: false, service: true, libraries: ALL })
  })
})
