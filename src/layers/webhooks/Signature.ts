import { createHmac } from "node:crypto"

const PREFIX = "whsec_"

/** A new secret in the form of Standard Webhooks: 256 random bits behind a prefix. */
export const encodeSecret = (random: Buffer): string => `${PREFIX}${random.toString("base64")}`

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text)

/** The secrets of a webhook that are live: while one is being replaced, the one before too. */
export interface Secrets {
  readonly secret: string
  readonly previousSecret: string | null
}

/**
 * The headers that let a receiver tell that a request is ours (contract, section 6, rule 4; decisions, section 10), in
 * both schemes. Our own: a receiver that knows nothing of rotation goes on with the secret before for as long as that
 * one lives, so the new secret has a header of its own until then. That of Standard Webhooks: one signature for each
 * secret that is live. `now` is in Unix seconds.
 */
export const signatureHeaders = (
  { previousSecret, secret }: Secrets,
  id: string,
  now: number,
  body: string
): Record<string, string> => {
  const timestamp = String(Math.floor(now))
  const service = (key: string) => hmac(key, `${timestamp}.${body}`).digest("hex")
  const standard = (live: string) => {
    const key = Buffer.from(live.slice(PREFIX.length), "base64")
    return `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest("base64")}`
  }
  const always = {
    "x-service-event-id": id,
    "x-service-timestamp": timestamp,
    "webhook-id": id,
    "webhook-timestamp": timestamp
  }
  return previousSecret === null
    ? { ...always, "x-service-signature": service(secret), "webhook-signature": standard(secret) }
    : {
        ...always,
        "x-service-signature": service(previousSecret),
        "x-service-signature-next": service(secret),
        "webhook-signature": `${standard(secret)} ${standard(previousSecret)}`
      }
}
