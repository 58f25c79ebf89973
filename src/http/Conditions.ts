import { Effect } from "effect"
import type { VersionCondition } from "../domain/Version.ts"
import { BadRequest } from "./BadRequest.ts"

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g
const LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/

/** The version of a resource as its entity tag (RFC 9110, section 8.8.3). */
export const etagOf = (version: number): string => `"${version}"`

/**
 * What `If-Match` asks for (RFC 9110, section 13.1.1). Comparison is strong, so a weak tag never matches; a tag that is
 * none of ours names a version that is not there, and matches nothing either.
 */
export const ifMatch = (header: string | undefined): Effect.Effect<VersionCondition, BadRequest> => {
  if (header === undefined || header.trim() === "*") return Effect.succeed("any")
  const tags = LIST.test(header.trim()) ? (header.match(ENTITY_TAG) ?? []) : []
  return tags.length > 0
    ? Effect.succeed(tags.filter((tag) => /^"[1-9][0-9]*"$/.test(tag)).map((tag) => Number(tag.slice(1, -1))))
    : new BadRequest({ reason: 'If-Match must be * or entity tags, as in "3"' })
}
