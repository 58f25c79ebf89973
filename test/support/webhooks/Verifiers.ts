import { Webhook as StandardWebhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { Webhook as SvixWebhook } from "svix"

/** Which of the libraries that receivers have already accept a delivery. */
export interface Acceptance {
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

/** The headers that hold a signature of the service's own; the second one only while a secret is being replaced. */
export type ServiceSignature = "x-service-signature" | "x-service-signature-next"

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Whether the unmodified `stripe` library takes a delivery by the service's own signatures in these headers. */
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
 * Verifies a delivery with the unmodified libraries: `stripe` by the service's own headers, the others by those of
 * Standard Webhooks. They look at the machine's clock; `stripe` refuses the past only. Names of headers in any case.
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
