import { Result } from "effect"
import { notPublic } from "../webhooks/Address.ts"
import { parseUrl } from "../Url.ts"
import { hostOf } from "../webhooks/AllowedHosts.ts"
import { LOOPBACK, MAX_REDIRECT_LENGTH, RedirectUriRefused } from "./RedirectUri.ts"

/** Private-use scheme: the reversed domain name of the developer (RFC 8252, section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//

/** Characters that URL parsers skip or replace, so that browsers would open a different URL. */
const NOT_IN_URI = /[^!-~]|[\\"<>^`{|}#]/

/** Returns the reason to reject a redirect URI, as a phrase that follows the URI, or undefined. */
const refusal = (uri: string, isPublic: boolean): string | undefined => {
  if (uri.length > MAX_REDIRECT_LENGTH) return `must have at most ${MAX_REDIRECT_LENGTH} characters`
  if (uri.includes("#")) return "must not have a fragment; leave out the # and what follows it"
  if (NOT_IN_URI.test(uri)) return "must be ASCII, without spaces, quotes, backslashes or any of <>^`{|}"
  const url = parseUrl(uri)
  if (url === undefined) return "must be an absolute URL, as in https://app.example.com/callback"
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password"
  if (uri.startsWith("https://")) {
    const reason = notPublic(hostOf(url))
    return reason === undefined ? undefined : `${reason}, which merchants cannot reach`
  }
  if (LOOPBACK.test(uri)) return undefined
  if (!PRIVATE_USE.test(uri)) {
    const common = "must begin with https://, with http:// and 127.0.0.1, [::1] or localhost"
    return isPublic ? `${common}, or with a private scheme such as com.example.app:/callback` : common
  }
  return isPublic ? undefined : "has a private scheme, which only public apps of a developer may use"
}

/** Validates a redirect URI. Accepts only one at which no other party can intercept the code. */
export const checkRedirect = (uri: string, isPublic: boolean): Result.Result<string, RedirectUriRefused> => {
  const reason = refusal(uri, isPublic)
  return reason === undefined ? Result.succeed(uri) : Result.fail(new RedirectUriRefused({ uri, reason }))
}

/**
 * Validates redirect URIs and removes duplicates. URIs are matched as text, so they are stored unchanged (RFC 9700,
 * section 2.1).
 */
export const redirectsOf = (
  uris: ReadonlyArray<string>,
  isPublic: boolean
): Result.Result<ReadonlyArray<string>, RedirectUriRefused> =>
  Result.all([...new Set(uris)].map((uri) => checkRedirect(uri, isPublic)))
