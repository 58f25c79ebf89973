import { Redacted } from "effect"
import type { IncomingMessage } from "node:http"

/** The scheme, in any case (RFC 9110, section 11.1), and the token behind it. */
const BEARER = /^Bearer (\S+)$/i

/** The bearer token that a request carries, if it carries one. */
export const parseBearerToken = ({ headers }: IncomingMessage): Redacted.Redacted | undefined => {
  const [, token] = BEARER.exec(headers.authorization ?? "") ?? []
  return token === undefined ? undefined : Redacted.make(token)
}
