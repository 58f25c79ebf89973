import { Result, Schema } from "effect"
import type { JsonObject } from "../Json.ts"
import { type AllowedHosts, NO_HOSTS } from "../webhooks/AllowedHosts.ts"
import { checkUrl } from "../webhooks/Target.ts"
import { MAX_REDIRECTS } from "./RedirectUri.ts"
import { redirectsOf } from "./Redirects.ts"

/*
 * What a client says of itself (RFC 7591, section 2): where it registers, or in the document that its id is the address
 * of (draft-ietf-oauth-client-id-metadata-document). Nobody vouches for it.
 */

const MAX_NAME = 100

/** Signs that are not seen, or turn what follows around: a name that has them reads as another. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u

/** A client's redirect URI that it may not have (RFC 7591, section 3.2.2). */
export class InvalidRedirectUri extends Schema.TaggedError<InvalidRedirectUri>()("InvalidRedirectUri", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Anything else that a client may not say of itself. */
export class InvalidClientMetadata extends Schema.TaggedError<InvalidClientMetadata>()("InvalidClientMetadata", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export type InvalidMetadata = InvalidRedirectUri | InvalidClientMetadata

/** What is kept of what a client says of itself. */
export interface Described {
  readonly name: string
  readonly website: string | null
  readonly logoUrl: string | null
  readonly redirectUris: ReadonlyArray<string>
}

const badMetadata = (reason: string) => Result.fail(new InvalidClientMetadata({ reason }))

const isTexts = Schema.is(Schema.Array(Schema.String))

/** Whether an address is one of the open internet, over TLS. */
const isOpen = (uri: string) => Result.isSuccess(checkUrl(uri, NO_HOSTS))

/** Without schemes of programs, which any other program on the machine can take for its own: nobody vouches for these. */
const redirectUrisOf = ({
  redirect_uris: uris
}: JsonObject): Result.Result<ReadonlyArray<string>, InvalidRedirectUri> =>
  isTexts(uris) && uris.length > 0 && uris.length <= MAX_REDIRECTS
    ? Result.mapError(redirectsOf(uris, false), ({ message }) => new InvalidRedirectUri({ reason: message }))
    : Result.fail(new InvalidRedirectUri({ reason: `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URLs` }))

const nameOf = (
  { client_name: name }: JsonObject,
  [redirect = ""]: ReadonlyArray<string>
): Result.Result<string, InvalidClientMetadata> => {
  if (name === undefined) return Result.succeed(new URL(redirect).host)
  const text = typeof name === "string" ? name.trim() : ""
  return text === "" || text.length > MAX_NAME || UNSEEN.test(text)
    ? badMetadata(`client_name must be text of 1 to ${MAX_NAME} visible characters`)
    : Result.succeed(text)
}

/** Codes are all there is here. A client that names kinds of its own must name these among them. */
const KINDS = { grant_types: "authorization_code", response_types: "code" } as const

const lacking = (given: JsonObject) =>
  Object.entries(KINDS).find(([member, kind]) => {
    const kinds = given[member]
    return kinds !== undefined && !(isTexts(kinds) && kinds.includes(kind))
  })

const openOrNull = (uri: unknown) => (typeof uri === "string" && isOpen(uri) ? uri : null)

/** What a client says of itself, or the first thing that is wrong with it. What is not known here is left out. */
export const readMetadata = (given: JsonObject): Result.Result<Described, InvalidMetadata> =>
  Result.gen(function* () {
    const redirectUris = yield* redirectUrisOf(given)
    const name = yield* nameOf(given, redirectUris)
    const [member, kind] = lacking(given) ?? []
    if (member !== undefined) return yield* badMetadata(`${member} must hold ${kind}`)
    return { name, website: openOrNull(given["client_uri"]), logoUrl: openOrNull(given["logo_uri"]), redirectUris }
  })

/** Whether a client is described by the document that its id is the address of. */
export const isDocumentUrl = (clientId: string): boolean => clientId.startsWith("https://")

/**
 * Why no client has this address as its id: one that is written in another way than the URL Standard does, as with dots
 * for a path or a host in capitals, would be the id of two clients.
 */
export const documentUrlRefusal = (clientId: string, allowed: AllowedHosts): string | undefined => {
  const target = checkUrl(clientId, allowed)
  if (Result.isFailure(target)) return target.failure.reason
  const { path, url } = target.success
  if (!isDocumentUrl(url)) return "must begin with https://"
  if (path === "/") return "must have a path"
  return url === clientId ? undefined : `must be written as ${url}`
}

/** What the document of a client says of it: it must name its own address, and no secret, which nobody gave it. */
export const readDocument = (clientId: string, given: JsonObject): Result.Result<Described, InvalidMetadata> => {
  const { client_id: claimed, client_secret: secret, token_endpoint_auth_method: method = "none" } = given
  if (claimed !== clientId) return badMetadata("its client_id is not the address that it was read from")
  if (secret !== undefined || method !== "none") return badMetadata("token_endpoint_auth_method must be none")
  return readMetadata(given)
}

/** Seconds that a document is believed for: as long as `Cache-Control` says, within bounds. */
export const FRESH_SECONDS = { least: 60, most: 24 * 60 * 60 }

export const freshSeconds = (cacheControl = ""): number => {
  const [, seconds = "0"] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cacheControl) ?? []
  const asked = /(?:^|[\s,])no-(?:store|cache)\b/i.test(cacheControl) ? 0 : Number(seconds)
  return Math.min(Math.max(asked, FRESH_SECONDS.least), FRESH_SECONDS.most)
}
