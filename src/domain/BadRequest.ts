import { Array as Arr, type ParseResult, Schema } from "effect"
import { lineOf } from "./Json.ts"
import { listed, MAX_ISSUES } from "./Limits.ts"
import { grouped } from "./Text.ts"

/** What the client sent cannot be read: bad JSON, a wrong type, a field out of its bounds. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  reason: Schema.String,
  issues: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    return this.reason
  }
}

type Issue = ParseResult.ArrayFormatterIssue

const readable = ({ _tag, message, path }: Issue) =>
  lineOf(path, _tag === "Unexpected" ? "is not a field that can be set" : message)

const isWithin = (inner: Issue, outer: Issue) => outer.path.every((key, index) => inner.path[index] === key)

/** A field that may be null reports both of its choices; what is wrong with the value says more than that it is not null. */
const isNullChoice = (issue: Issue, all: ReadonlyArray<Issue>) =>
  issue.message.startsWith("Expected null,") && all.some((other) => other !== issue && isWithin(other, issue))

/** Places in one answer at which decoding stopped. */
const MAX_PLACES = 10

const UNCHECKED = "not checked from here on: "

/** Marks the place where a list or record stops being decoded, because it has enough issues already. */
export const uncheckedMessage = (count: number): string => `${UNCHECKED}${grouped(count)} values`

/** One line for each thing that is wrong, `path: reason`, and at most as many as an answer lists. */
export const linesOf = (issues: ReadonlyArray<Issue>): ReadonlyArray<string> => {
  const [found, unchecked] = Arr.partition(issues, ({ message }) => message.startsWith(UNCHECKED))
  const lines = [...new Set(found.filter((issue) => !isNullChoice(issue, found)).map(readable))]
  // Where decoding stopped, the issues listed are not all there are: that is kept whatever else is cut off.
  const places = unchecked.slice(0, MAX_PLACES).map(readable)
  return [...listed(lines, lines.length, MAX_ISSUES - places.length), ...places]
}

/** Said above the lines of `issues`. */
export const INVALID = "The request is invalid"
