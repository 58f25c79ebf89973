import { Array as Arr, Result, Schema } from "effect"
import type { JsonObject } from "../json/Json.ts"
import { isText } from "../Text.ts"
import { type AllowedHosts, NO_HOSTS } from "../webhooks/AllowedHosts.ts"
import { checkUrl } from "../webhooks/Destination.ts"
import { MAX_REDIRECTS } from "./RedirectUri.ts"
import { checkRedirect } from "./Redirects.ts"

/*
 * Metadata of agent clients (RFC 7591, section 2), from a registration or from the document at the client id
 * (draft-ietf-oauth-client-id-metadata-document). The metadata is unverified.
 */

const MAX_NAME = 100

/** Invisible characters and bidirectional controls, which would make a name look like another one. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u

/** Invalid redirect URI (RFC 7591, section 3.2.2). */
export class InvalidRedirectUri extends Schema.TaggedError<InvalidRedirectUri>()("InvalidRedirectUri", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Other invalid client metadata. */
export class InvalidClientMetadata extends Schema.TaggedError<InvalidClientMetadata>()("InvalidClientMetadata", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export type InvalidMetadata = InvalidRedirectUri | InvalidClientMetadata

/** Metadata that the service stores. */
export interface StoredMetadata {
  readonly name: string
  readonly website: string | null
  readonly logoUrl: string | null
  readonly redirectUris: ReadonlyArray<string>
}

const badMetadata = (reason: string) => Result.fail(new InvalidClientMetadata({ reason }))

const isTexts = Schema.is(Schema.Array(Schema.String))

/** Tests whether a URL uses https and a public host. */
const isOpen = (uri: string) => Result.isSuccess(checkUrl(uri, NO_HOSTS))

/** Redirect URIs that every agent client can use, for error messages. */
const USABLE = "https on a public host, or a loopback address such as http://127.0.0.1/callback"

const badRedirect = (reason: string) => Result.fail(new InvalidRedirectUri({ reason: `${reason}; use ${USABLE}` }))

/**
 * Returns the valid redirect URIs (RFC 7591, section 3.2.1). Fails if there is none: many clients also list a private-use
 * scheme for some platform. Those are rejected, because any program on the machine can claim one and these clients are
 * unverified.
 */
const redirectUrisOf = ({
  redirect_uris: uris
}: JsonObject): Result.Result<ReadonlyArray<string>, InvalidRedirectUri> => {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS) {
    return badRedirect(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URLs`)
  }
  const checked = [...new Set(uris.filter(isText))].map((uri) => checkRedirect(uri, false))
  const valid = Arr.getSuccesses(checked)
  const [refused] = Arr.getFailures(checked)
  return valid.length > 0 ? Result.succeed(valid) : badRedirect(refused?.message ?? "redirect_uris contains no URL")
}

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

/** Supported grant and response type. If a client lists types, the list must contain it. */
const KINDS = { grant_types: "authorization_code", response_types: "code" } as const

const lacking = (metadata: JsonObject) =>
  Object.entries(KINDS).find(([member, kind]) => {
    const kinds = metadata[member]
    return kinds !== undefined && !(isTexts(kinds) && kinds.includes(kind))
  })

const openOrNull = (uri: unknown) => (typeof uri === "string" && isOpen(uri) ? uri : null)

/** Reads client metadata, ignoring unknown members. Fails with the first problem. */
export const readMetadata = (metadata: JsonObject): Result.Result<StoredMetadata, InvalidMetadata> =>
  Result.gen(function* () {
    const redirectUris = yield* redirectUrisOf(metadata)
    const name = yield* nameOf(metadata, redirectUris)
    const [member, kind] = lacking(metadata) ?? []
    if (member !== undefined) return yield* badMetadata(`${member} must contain ${kind}`)
    return {
      name,
      website: openOrNull(metadata["client_uri"]),
      logoUrl: openOrNull(metadata["logo_uri"]),
      redirectUris
    }
  })

/** Tests whether a client id is the URL of a metadata document. */
export const isDocumentUrl = (clientId: string): boolean => clientId.startsWith("https://")

/**
 * Returns the reason to reject a client id, or undefined. A URL that the URL Standard would serialize differently, such
 * as with dot segments or a host in capitals, is rejected: one document would have several ids.
 */
export const documentUrlRefusal = (clientId: string, allowed: AllowedHosts): string | undefined => {
  const target = checkUrl(clientId, allowed)
  if (Result.isFailure(target)) return target.failure.reason
  const { path, url } = target.success
  if (!isDocumentUrl(url)) return "must begin with https://"
  if (path === "/") return "must have a path"
  return url === clientId ? undefined : `must be written as ${url}`
}

/** Reads the metadata document of a client. It must contain its own URL as `client_id`, and no secret. */
export const readDocument = (
  clientId: string,
  metadata: JsonObject
): Result.Result<StoredMetadata, InvalidMetadata> => {
  const { client_id: claimed, client_secret: secret, token_endpoint_auth_method: method = "none" } = metadata
  if (claimed !== clientId) return badMetadata("client_id must be the URL of the document")
  if (secret !== undefined || method !== "none") return badMetadata("token_endpoint_auth_method must be none")
  return readMetadata(metadata)
}

/** Minimum and maximum seconds for which a document is cached. `Cache-Control` selects a time between them. */
export const FRESH_SECONDS = { least: 60, most: 24 * 60 * 60 }

export const freshSeconds = (cacheControl = ""): number => {
  const [, seconds = "0"] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cacheControl) ?? []
  const requested = /(?:^|[\s,])no-(?:store|cache)\b/i.test(cacheControl) ? 0 : Number(seconds)
  return Math.min(Math.max(requested, FRESH_SECONDS.least), FRESH_SECONDS.most)
}
