import { Result } from "effect"
import { notPublic } from "../webhooks/Address.ts"
import { parseUrl } from "../Url.ts"
import { hostOf } from "../webhooks/AllowedHosts.ts"
import { LOOPBACK, MAX_REDIRECT_LENGTH, RedirectUriRefused } from "./RedirectUri.ts"

/** A scheme that belongs to a program by a domain of its maker's, turned round (RFC 8252, section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//

/** What the URL standard passes over, or takes for something else: with it the text would not be what browsers go to. */
const NOT_IN_URI = /[^!-~]|[\\"<>^`{|}#]/

/** Why a merchant may not be sent there with a code, in words that follow the address. */
const refusal = (uri: string, isPublic: boolean): string | undefined => {
  if (uri.length > MAX_REDIRECT_LENGTH) return `must have at most ${MAX_REDIRECT_LENGTH} characters`
  if (uri.includes("#")) return "must not have a fragment; leave out the # and what follows it"
  if (NOT_IN_URI.test(uri)) return "must be of ASCII, without spaces, quotes, backslashes and the like"
  const url = parseUrl(uri)
  if (url === undefined) return "must be an absolute URL, as in https://app.example.com/callback"
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password"
  if (uri.startsWith("https://")) {
    const reason = notPublic(hostOf(url))
    return reason === undefined ? undefined : `${reason}, which merchants cannot reach`
  }
  if (LOOPBACK.test(uri)) return undefined
  if (!PRIVATE_USE.test(uri)) {
    return "must begin with https://, or with http:// and 127.0.0.1, [::1] or localhost, or of a public app with a scheme of its own, as in com.example.app:/callback"
  }
  return isPublic ? undefined : "has a scheme of its own, which only public apps of a developer may have"
}

/**
 * Addresses as they are registered, each once: those that a code can be sent to without others getting it. What they are
 * matched with is their text, so it is kept as it is given (RFC 9700, section 2.1).
 */
export const redirectsOf = (
  uris: ReadonlyArray<string>,
  isPublic: boolean
): Result.Result<ReadonlyArray<string>, RedirectUriRefused> =>
  Result.all(
    [...new Set(uris)].map((uri) => {
      const reason = refusal(uri, isPublic)
      return reason === undefined ? Result.succeed(uri) : Result.fail(new RedirectUriRefused({ uri, reason }))
    })
  )
