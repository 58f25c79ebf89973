import { Effect } from "effect"
import { hash } from "node:crypto"
import { BadRequest } from "../domain/BadRequest.ts"
import type { Document } from "../domain/Document.ts"
import type { VersionCondition } from "../domain/Version.ts"
import { uncodedTag } from "./Coding.ts"

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g
const LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/

/** A version, and behind a dot what was computed with it. */
const OWN = /^"([1-9][0-9]*)(?:\.[0-9a-f]{16})?"$/

/**
 * The entity tag of a resource (RFC 9110, section 8.8.3): its version, as in `"3"`. A strong one must change with the
 * content, so where some of that is not of the version, as the products of a collection, it goes on with a hash of it.
 */
export const etagOf = ({ computed, version }: Pick<Document<unknown>, "computed" | "version">): string =>
  computed === undefined ? `"${version}"` : `"${version}.${hash("sha256", computed).slice(0, 16)}"`

/**
 * What `If-Match` asks for (RFC 9110, section 13.1.1). Comparison is strong, so a weak tag never matches; a tag that is
 * none of ours names a version that is not there, and matches nothing either. What is compared is what a write would
 * replace, which is the version: a client that renames a collection loses no change when its products come and go.
 */
export const ifMatch = (header: string | undefined): Effect.Effect<VersionCondition, BadRequest> => {
  if (header === undefined || header.trim() === "*") return Effect.succeed("any")
  const tags = LIST.test(header.trim()) ? (header.match(ENTITY_TAG) ?? []) : []
  return tags.length > 0
    ? Effect.succeed(tags.flatMap((tag) => OWN.exec(uncodedTag(tag))?.[1] ?? []).map(Number))
    : new BadRequest({ reason: 'If-Match must be * or entity tags, as in "3"' })
}

/** Whether `If-None-Match` names the tag of what there is; comparison is weak there (RFC 9110, section 13.1.2). */
export const isNotModified = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || (header.match(ENTITY_TAG) ?? []).some((tag) => tag.replace(/^W\//, "") === etag))
