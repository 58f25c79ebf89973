import { Schema } from "effect"

/**
 * Which versions of a resource a write may replace: what `If-Match` named (RFC 9110, section 13.1.1), or any.
 */
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
