import { createHmac } from "node:crypto"

const PREFIX = "whsec_"

/** A new secret in the form of Standard Webhooks: 256 random bits behind a prefix. */
export const secretOf = (random: Buffer): string => `${PREFIX}${random.toString("base64")}`

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text)

/**
 * The headers that let a receiver tell that a request is ours (contract, section 6, rule 4; decisions, section 10), in
 * both schemes: our own, by the newest secret alone, and that of Standard Webhooks, by each secret that is live.
 * `now` is in Unix seconds.
 */
export const signatureHeaders = (
  secrets: readonly [string, ...ReadonlyArray<string>],
  id: string,
  now: number,
  body: string
): Record<string, string> => {
  const timestamp = String(Math.floor(now))
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64")
    return `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest("base64")}`
  })
  return {
    "x-service-event-id": id,
    "x-service-timestamp": timestamp,
    "x-service-signature": hmac(secrets[0], `${timestamp}.${body}`).digest("hex"),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" ")
  }
}
