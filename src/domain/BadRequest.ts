import { type ParseResult, Schema } from "effect"
import { lineOf, toldOf } from "./Json.ts"

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

/** One line for each thing that is wrong, `path: reason`. */
export const linesOf = (issues: ReadonlyArray<Issue>): ReadonlyArray<string> =>
  toldOf([...new Set(issues.filter((issue) => !isNullChoice(issue, issues)).map(readable))])

/** Said above the lines of `issues`. */
export const INVALID = "The request is invalid"
