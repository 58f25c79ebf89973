import { Schema } from "effect"

/** Versions of a resource that a write may replace: those in `If-Match` (RFC 9110, section 13.1.1), or any. */
export type VersionCondition = "any" | ReadonlyArray<number>

export const satisfies = (version: number, condition: VersionCondition): boolean =>
  condition === "any" || condition.includes(version)

export class VersionMismatch extends Schema.TaggedError<VersionMismatch>()("VersionMismatch", {
  current: Schema.Int
}) {
  override get message() {
    return `The resource has changed: its version is ${this.current}. Read it again and repeat the change`
  }
}
