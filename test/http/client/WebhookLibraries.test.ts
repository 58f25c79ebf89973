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

/** An unsigned delivery of the given age. The libraries read the system clock. */
const signedAgo = (seconds: number) => ({ ...UNSIGNED, timestamp: Math.floor(Date.now() / 1000) - seconds })

const ALL: Acceptance = { stripe: true, svix: true, standardwebhooks: true }
const NONE: Acceptance = { stripe: false, svix: false, standardwebhooks: false }

/** Results of `verifyWebhook` with all headers and with the service's headers only, and of the libraries. */
const verdicts = async (secret: string, headers: Record<string, string>, body: string) => {
  const serviceHeadersOnly = Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("x-service-"))
  )
  return {
    standard: (await verifyWebhook(secret, headers, body)).ok,
    service: (await verifyWebhook(secret, serviceHeadersOnly, body)).ok,
    libraries: verifyWithLibraries(secret, headers, body)
  }
}

describe("Webhook verification by stripe, svix and standardwebhooks", () => {
  it("the libraries accept a delivery that verifyWebhook accepts", async () => {
    for (const ageSeconds of [0, 290]) {
      const headers = signedHeaders(SECRET, signedAgo(ageSeconds))
      assert.deepStrictEqual(await verdicts(SECRET, headers, BODY), { standard: true, service: true, libraries: ALL })
    }
  })

  it("both secrets are valid during a rotation, for stripe the new one in x-service-signature-next only", async () => {
    const [unsigned, other] = [signedAgo(0), newSecret()]
    const bothSignatures = `${standardSignature(other, unsigned)} ${standardSignature(SECRET, unsigned)}`
    const rotating = rotatingHeaders(SECRET, other, unsigned)
    const headers = { ...signedHeaders(SECRET, unsigned), ...rotating, "webhook-signature": bothSignatures }
    assert.deepStrictEqual(await verdicts(SECRET, headers, BODY), { standard: true, service: true, libraries: ALL })
    assert.deepStrictEqual(await verdicts(other, headers, BODY), {
      standard: true,
      service: true,
      libraries: { ...ALL, stripe: false }
    })
    assert.isTrue(stripeAccepts(other, headers, BODY, ["x-service-signature-next"]))
    assert.isFalse(stripeAccepts(SECRET, headers, BODY, ["x-service-signature-next"]))
  })

  it("the libraries reject a delivery that verifyWebhook rejects", async () => {
    const headers = signedHeaders(SECRET, signedAgo(0))
    const wrongSecretHeaders = signedHeaders(newSecret(), signedAgo(0))
    const otherTimestamp = {
      "x-service-timestamp": String(signedAgo(1).timestamp),
      "webhook-timestamp": String(signedAgo(1).timestamp)
    }
    for (const [sentHeaders, body] of [
      [headers, BODY.replace("Caf", "Kaf")],
      [headers, `${BODY} `],
      [wrongSecretHeaders, BODY],
      [{ ...headers, ...otherTimestamp }, BODY],
      [signedHeaders(SECRET, signedAgo(310)), BODY],
      [{}, BODY]
    ] as const) {
      assert.deepStrictEqual(await verdicts(SECRET, sentHeaders, body), {
        standard: false,
        service: false,
        libraries: NONE
      })
    }
  })

  it("each library reads only the headers of its own scheme", () => {
    assert.deepStrictEqual(verifyWithLibraries(SECRET, standardHeaders(SECRET, signedAgo(0)), BODY), {
      ...ALL,
      stripe: false
    })
    assert.deepStrictEqual(verifyWithLibraries(SECRET, serviceHeaders(SECRET, signedAgo(0)), BODY), {
      ...NONE,
      stripe: true
    })
  })

  it("stripe accepts future timestamps; svix and standardwebhooks accept a trailing comma in the signature", async () => {
    const futureHeaders = signedHeaders(SECRET, signedAgo(-310))
    assert.deepStrictEqual(await verdicts(SECRET, futureHeaders, BODY), {
      standard: false,
      service: false,
      libraries: { ...NONE, stripe: true }
    })
    const unsigned = signedAgo(0)
    const withTrailingComma = {
      ...signedHeaders(SECRET, unsigned),
      "webhook-signature": `${standardSignature(SECRET, unsigned)},`
    }
    assert.deepStrictEqual(await verdicts(SECRET, withTrailingComma, BODY), {
      standard: false,
      service: true,
      libraries: ALL
    })
  })
})
