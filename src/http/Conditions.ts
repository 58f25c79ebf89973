import { Effect } from "effect"
import type { VersionCondition } from "../domain/Version.ts"
import { BadRequest } from "./BadRequest.ts"
import { uncodedTag } from "./Coding.ts"

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
    ? Effect.succeed(
        tags
          .map(uncodedTag)
          .filter((tag) => /^"[1-9][0-9]*"$/.test(tag))
          .map((tag) => Number(tag.slice(1, -1)))
      )
    : new BadRequest({ reason: 'If-Match must be * or entity tags, as in "3"' })
}

/** Whether `If-None-Match` names the tag; comparison is weak there (RFC 9110, section 13.1.2). */
export const isAmong = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || (header.match(ENTITY_TAG) ?? []).some((tag) => tag.replace(/^W\//, "") === etag))
