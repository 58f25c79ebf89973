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

/**
 * Verifies a delivery with the unmodified libraries: `stripe` by the service's own headers, the others by those of
 * Standard Webhooks. They look at the machine's clock; `stripe` refuses the past only. Names of headers in any case.
 */
export const verifyWithLibraries = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  rawBody: string
): Acceptance => {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const stripeHeader = `t=${lower["x-service-timestamp"]},v1=${lower["x-service-signature"]}`
  return {
    stripe: accepts(() => Stripe.webhooks.constructEvent(rawBody, stripeHeader, secret)),
    svix: accepts(() => new SvixWebhook(secret).verify(rawBody, lower)),
    standardwebhooks: accepts(() => new StandardWebhook(secret).verify(rawBody, lower))
  }
}
