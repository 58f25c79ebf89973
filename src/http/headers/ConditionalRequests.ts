import { Effect } from "effect"
import { hash } from "node:crypto"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { Document } from "../../domain/json/Document.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import { etagWithoutCoding } from "./ContentCoding.ts"

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g
const LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/

/** The version of a resource, optionally with a hash of its computed content. */
const VERSION_TAG = /^"([1-9][0-9]*)(?:\.[0-9a-f]{16})?"$/

/**
 * Makes the entity tag of a resource (RFC 9110, section 8.8.3) from its version, as in `"3"`. A strong tag must change
 * with the content. Content that the version does not cover, like the products of a collection, adds a hash.
 */
export const makeEtag = ({ computed, version }: Pick<Document<unknown>, "computed" | "version">): string =>
  computed === undefined ? `"${version}"` : `"${version}.${hash("sha256", computed).slice(0, 16)}"`

/**
 * Parses `If-Match` (RFC 9110, section 13.1.1). Comparison is strong, so a weak tag never matches. Only the version is
 * compared, so that renaming a collection succeeds while products enter and leave it.
 */
export const parseIfMatch = (header: string | undefined): Effect.Effect<VersionCondition, BadRequest> => {
  if (header === undefined || header.trim() === "*") return Effect.succeed("any")
  const tags = LIST.test(header.trim()) ? (header.match(ENTITY_TAG) ?? []) : []
  return tags.length > 0
    ? Effect.succeed(tags.flatMap((tag) => VERSION_TAG.exec(etagWithoutCoding(tag))?.[1] ?? []).map(Number))
    : new BadRequest({ reason: 'If-Match must be * or entity tags, as in "3"' })
}

/** True if `If-None-Match` contains the current tag. Comparison is weak (RFC 9110, section 13.1.2). */
export const isNotModified = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || (header.match(ENTITY_TAG) ?? []).some((tag) => tag.replace(/^W\//, "") === etag))
