import { Schema } from "effect"
import { parseUrl } from "../Url.ts"

/**
 * Loopback redirect of a program on the merchant's machine, with any port (RFC 8252, section 7.3; `localhost` is
 * allowed too).
 */
export const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

const withoutPort = (uri: string) => uri.replace(LOOPBACK, "$1")

/**
 * Tests whether a redirect URI is registered: exact match (RFC 9700, section 2.1), except for the port of a loopback
 * address.
 */
export const isRegistered = (registered: ReadonlyArray<string>, requested: string): boolean =>
  // The loopback pattern also matches invalid ports such as 99999.
  parseUrl(requested) !== undefined &&
  registered.some((uri) => uri === requested || (LOOPBACK.test(uri) && withoutPort(uri) === withoutPort(requested)))

/** Maximum length of a redirect URI in characters, and maximum number of redirect URIs of a client. */
export const MAX_REDIRECT_LENGTH = 2048
export const MAX_REDIRECTS = 20

export class RedirectUriRefused extends Schema.TaggedError<RedirectUriRefused>()("RedirectUriRefused", {
  uri: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The redirect URI ${this.uri} ${this.reason}`
  }
}
