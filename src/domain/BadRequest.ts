import { Array as Arr, Predicate, Schema, SchemaAST, SchemaIssue } from "effect"
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

interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const inLibraryWords = SchemaIssue.makeFormatterDefault()

/** The message of the first check that has one. A check without a message has that of the others. */
const messageOfChecks = ({ checks }: SchemaAST.AST): string | undefined =>
  (checks ?? []).map(({ annotations }) => annotations?.message).find(Predicate.isString)

/** The message that a schema carries: its own, or that of its checks. */
const messageOf = (ast: SchemaAST.AST): string | undefined => {
  const message = ast.annotations?.["message"]
  return Predicate.isString(message) ? message : messageOfChecks(ast)
}

/** The messages of a schema for a value of the wrong type. A union without one has those of its members. */
const messagesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const message = messageOf(ast)
  if (message !== undefined) return [message]
  if (ast.encoding !== undefined) return messagesOf(Arr.lastNonEmpty(ast.encoding).to)
  return SchemaAST.isUnion(ast) ? ast.types.flatMap(messagesOf) : []
}

/**
 * Lists what an issue holds. The library's formatter cannot do this: a message here also covers the encoded side of a
 * transformation and the members of a union, and a field that may be null has the message of its value.
 */
const findingsOf = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = [],
  ofChecks?: string
): ReadonlyArray<Finding> => {
  const at = (message: string) => [{ path, message }]
  switch (issue._tag) {
    case "Pointer":
      return findingsOf(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => findingsOf(inner, path, messageOfChecks(issue.ast)))
    case "Filter": {
      const message = SchemaIssue.defaultCheckHook(issue)
      if (message !== undefined) return at(message)
      return issue.issue._tag === "InvalidValue" ? at(ofChecks ?? inLibraryWords(issue)) : findingsOf(issue.issue, path)
    }
    case "Encoding": {
      const message = messageOf(issue.ast)
      return message === undefined ? findingsOf(issue.issue, path) : at(message)
    }
    case "AnyOf": {
      const message = messageOf(issue.ast)
      if (message !== undefined) return at(message)
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => findingsOf(inner, path))
      const messages = messagesOf(issue.ast)
      return messages.length > 0 ? messages.flatMap(at) : at(inLibraryWords(issue))
    }
    case "InvalidType":
      return at(messageOf(issue.ast) ?? inLibraryWords(issue))
    case "MissingKey":
      return at(issue.annotations?.messageMissingKey ?? "is missing")
    case "UnexpectedKey":
      return at("is not a field that can be set")
    case "InvalidValue":
    case "Forbidden":
    case "OneOf":
      return at(inLibraryWords(issue))
  }
}

const readable = ({ message, path }: Finding) => lineOf(path, message)

/** Places in one answer at which decoding stopped. */
const MAX_PLACES = 10

const UNCHECKED = "not checked from here on: "

/** Marks the place where a list or record stops being decoded, because it has enough issues already. */
export const uncheckedMessage = (count: number): string => `${UNCHECKED}${grouped(count)} values`

/** One line for each thing that is wrong, `path: reason`, and at most as many as an answer lists. */
export const linesOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> => {
  const findings = findingsOf(issue)
  const unchecked = findings.filter(({ message }) => message.startsWith(UNCHECKED))
  const lines = [...new Set(findings.filter((finding) => !unchecked.includes(finding)).map(readable))]
  // Where decoding stopped, the issues listed are not all there are: that is kept whatever else is cut off.
  const places = unchecked.slice(0, MAX_PLACES).map(readable)
  return [...listed(lines, lines.length, MAX_ISSUES - places.length), ...places]
}

/** Said above the lines of `issues`. */
export const INVALID = "The request is invalid"
