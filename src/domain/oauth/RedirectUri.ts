import { Schema } from "effect"
import { parseUrl } from "../Url.ts"

/** A program on the merchant's own machine takes whatever port is free (RFC 8252, section 7.3; `localhost` is used too). */
export const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

const withoutPort = (uri: string) => uri.replace(LOOPBACK, "$1")

/**
 * Whether a merchant may be sent back to an address: only where it is registered, character by character (RFC 9700,
 * section 2.1), but for the port of a loopback address.
 */
export const isRegistered = (registered: ReadonlyArray<string>, asked: string): boolean =>
  // The pattern of loopback addresses takes ports that no URL has, such as 99999.
  parseUrl(asked) !== undefined &&
  registered.some((uri) => uri === asked || (LOOPBACK.test(uri) && withoutPort(uri) === withoutPort(asked)))

/** Characters of an address at most, and addresses of a client. */
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
