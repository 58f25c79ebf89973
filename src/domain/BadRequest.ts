import { Array as Arr, Predicate, Schema, SchemaAST, SchemaIssue } from "effect"
import { lineOf } from "./json/Json.ts"
import { truncateIssues, MAX_ISSUES } from "./Limits.ts"
import { formatInteger } from "./Text.ts"

/** Invalid request: malformed JSON, a wrong type or a value out of bounds. `issues` has one line for each problem. */
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

/** Returns the message of the first check that has one; it applies to the checks without a message too. */
const messageOfChecks = ({ checks }: SchemaAST.AST): string | undefined =>
  (checks ?? []).map(({ annotations }) => annotations?.message).find(Predicate.isString)

/** Returns the message of a schema, or of its checks. */
const messageOf = (ast: SchemaAST.AST): string | undefined => {
  const message = ast.annotations?.["message"]
  return Predicate.isString(message) ? message : messageOfChecks(ast)
}

/**
 * Returns the messages of a schema for a value of the wrong type. A union without a message uses those of its members.
 */
const messagesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const message = messageOf(ast)
  if (message !== undefined) return [message]
  if (ast.encoding !== undefined) return messagesOf(Arr.lastNonEmpty(ast.encoding).to)
  return SchemaAST.isUnion(ast) ? [...new Set(ast.types.flatMap(messagesOf))] : []
}

/** Returns the message of a type. The library's would name the identifier of a schema, which no client knows. */
const messageOfType = (ast: SchemaAST.AST): string | undefined => {
  switch (ast._tag) {
    case "Objects":
      return "must be an object"
    case "Arrays":
      return "must be a list"
    case "String":
    case "TemplateLiteral":
      return "must be text"
    case "Number":
      return "must be a number"
    case "Boolean":
      return "must be true or false"
    case "Null":
      return "must be null"
    case "Literal":
      return `must be ${String(ast.literal)}`
    case "Suspend":
      return messageOfType(ast.thunk())
    case "Union": {
      const messages = new Set(ast.types.flatMap((member) => messageOf(member) ?? messageOfType(member) ?? []))
      return messages.size > 0 ? [...messages].join(", or ") : undefined
    }
    default:
      return undefined
  }
}

/** Returns the message of a value of the wrong type. The schema's own describes its encoded form too. */
const messageOfInvalidType = (ast: SchemaAST.AST): string | undefined =>
  messageOf(ast) ?? messageOfType(ast.encoding === undefined ? ast : Arr.lastNonEmpty(ast.encoding).to)

/**
 * Flattens an issue into findings. The library's formatter cannot do this: here, a message also covers the encoded side
 * of a transformation and the members of a union, and a nullable field has the message of its value.
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
      return messages.length > 0 ? messages.flatMap(at) : at(messageOfInvalidType(issue.ast) ?? inLibraryWords(issue))
    }
    case "InvalidType":
      return at(messageOfInvalidType(issue.ast) ?? inLibraryWords(issue))
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

/** Maximum number of places that an answer lists at which decoding stopped. */
const MAX_PLACES = 10

const UNCHECKED = "not checked from here on: "

/**
 * Builds the message for the position at which decoding of a list or record stopped after {@link MAX_ISSUES} issues.
 */
export const uncheckedMessage = (count: number): string => `${UNCHECKED}${formatInteger(count)} values`

/** Formats an issue as lines of `path: reason`, at most {@link MAX_ISSUES}. */
export const formatIssues = (issue: SchemaIssue.Issue): ReadonlyArray<string> => {
  const findings = findingsOf(issue)
  const unchecked = findings.filter(({ message }) => message.startsWith(UNCHECKED))
  const lines = [...new Set(findings.filter((finding) => !unchecked.includes(finding)).map(readable))]
  // Always list where decoding stopped: without these lines, the list of issues would look complete.
  const places = unchecked.slice(0, MAX_PLACES).map(readable)
  return [...truncateIssues(lines, lines.length, MAX_ISSUES - places.length), ...places]
}

/** Title of a response that lists `issues`. */
export const INVALID = "The request is invalid"
