import { Webhook as StandardWebhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { Webhook as SvixWebhook } from "svix"

/** Verdicts of libraries that receivers commonly use. */
interface Acceptance {
  readonly stripe: boolean
  readonly svix: boolean
  readonly standardwebhooks: boolean
}

const accepts = (verify: () => unknown): boolean => {
  try {
    verify()
    return true
  } catch {
    return false
  }
}

/** Headers with the service's own signature. The second one is sent during a rotation. */
export type ServiceSignature = "x-service-signature" | "x-service-signature-next"

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Returns true if the unmodified `stripe` library accepts the service's own signatures in these headers. */
export const stripeAccepts = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  rawBody: string,
  signatures: ReadonlyArray<ServiceSignature> = ["x-service-signature"]
): boolean => {
  const lower = lowerCased(headers)
  const signed = signatures.map((name) => `v1=${lower[name]}`)
  const header = [`t=${lower["x-service-timestamp"]}`, ...signed].join(",")
  return accepts(() => Stripe.webhooks.constructEvent(rawBody, header, secret))
}

/**
 * Verifies a delivery with unmodified libraries: `stripe` with the service's own headers, the others with those of
 * Standard Webhooks. All use the machine's clock; `stripe` rejects old timestamps only. Header names are case-
 * insensitive.
 */
export const verifyWithLibraries = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  rawBody: string
): Acceptance => {
  const lower = lowerCased(headers)
  return {
    stripe: stripeAccepts(secret, headers, rawBody),
    svix: accepts(() => new SvixWebhook(secret).verify(rawBody, lower)),
    standardwebhooks: accepts(() => new StandardWebhook(secret).verify(rawBody, lower))
  }
}
