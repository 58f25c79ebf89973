import { Result } from "effect"
import {
  fieldOf,
  FIELDS,
  type Kind,
  type Relation,
  RELATIONS,
  type Rule,
  type RuleField
} from "../../../domain/catalog/Rule.ts"
import type { Dates } from "../../shared/data/format.ts"
import { numberText, parseCanonical, parseNumber } from "../../shared/data/typedNumbers.ts"
import { collectionTexts } from "./collectionTexts.ts"

const timeRelations: Partial<Record<Relation, string>> = collectionTexts.timeRelations

/** Label of a relation for a field kind. */
export const relationLabel = (relation: Relation, kind: Kind): string =>
  (kind === "time" ? timeRelations[relation] : undefined) ?? collectionTexts.relations[relation]

/** Formats a number of a rule. Apps can also send it as text. */
const ruleNumberText = (value: string | number): string =>
  typeof value === "string"
    ? Result.match(parseCanonical(value), { onFailure: () => value, onSuccess: numberText })
    : numberText(value)

/** Text of a value: quoted text, yes or no, or a formatted number or time. */
const ruleValueText = (value: unknown, kind: Kind, dates: Dates): string => {
  if (Array.isArray(value)) return value.map((one) => ruleValueText(one, kind, dates)).join(", ")
  if (value === null || value === undefined) return collectionTexts.values.none
  if (typeof value === "boolean") return value ? collectionTexts.values.yes : collectionTexts.values.no
  if (typeof value === "number") return ruleNumberText(value)
  const text = String(value)
  if (kind === "time" && !Number.isNaN(Date.parse(text))) return dates.time(text)
  if (kind === "number") return ruleNumberText(text)
  return kind === "text" ? `“${text}”` : text
}

/** Sentence of a rule, such as: Tag is “oak”. */
export const ruleSentence = ({ field, relation, value }: Rule, dates: Dates): string => {
  const known = fieldOf(field)
  if (known === undefined) return `${field} ${relation}`
  const { kind } = FIELDS[known]
  const knownRelation = RELATIONS[kind].find((one) => one === relation)
  const text = `${collectionTexts.ruleFields[known]} ${knownRelation === undefined ? relation : relationLabel(knownRelation, kind)}`
  return value === undefined ? text : `${text} ${ruleValueText(value, kind, dates)}`
}

/** Value of a product in the field of a rule. */
export const productValueText = ({ field }: Rule, value: unknown, dates: Dates): string => {
  const known = fieldOf(field)
  const isNone = Array.isArray(value) && value.length === 0
  return known === undefined || isNone ? collectionTexts.values.none : ruleValueText(value, FIELDS[known].kind, dates)
}

/* Form values of a rule. The value is text, as typed. */

export interface RuleDraft {
  /** Stable while the rule is edited. */
  readonly key: string
  readonly field: RuleField
  readonly relation: Relation
  /** One value, or one per line. */
  readonly text: string
  /** Saved rule, until it is edited. */
  readonly saved?: Rule
}

const hasManyValues = (relation: Relation) => relation === "in" || relation === "not_in"
const hasNoValue = (relation: Relation) => relation === "is_set" || relation === "is_not_set"

/** Input for the value of a rule. */
export const valueInputOf = ({ field, relation }: RuleDraft): Kind | "none" | "lines" => {
  if (hasNoValue(relation)) return "none"
  return hasManyValues(relation) ? "lines" : FIELDS[field].kind
}

const twoDigits = (part: number) => String(part).padStart(2, "0")

/** Value of a datetime-local input, in the time zone of the browser. */
const localTime = (text: string) => {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return ""
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-")
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

const textOf = (value: unknown, kind: Kind, relation: Relation): string => {
  if (Array.isArray(value)) return value.map((one) => textOf(one, kind, relation)).join("\n")
  if (value === undefined || value === null) return ""
  if (typeof value === "number") return ruleNumberText(value)
  const text = String(value)
  if (kind === "number") return ruleNumberText(text)
  return kind === "time" && !hasManyValues(relation) ? localTime(text) : text
}

/** Form values of a saved rule. */
export const ruleDraft = (rule: Rule, key: string): RuleDraft => {
  const field = fieldOf(rule.field) ?? "title"
  const { kind } = FIELDS[field]
  const relation = RELATIONS[kind].find((one) => one === rule.relation) ?? "equals"
  return { key, field, relation, text: textOf(rule.value, kind, relation), saved: rule }
}

/** Form values of a new rule. */
export const newRule = (): RuleDraft => ({ key: crypto.randomUUID(), field: "tags", relation: "equals", text: "" })

/** Changes the field. Keeps relation and value where they are valid. */
export const withField = ({ key, relation, text }: RuleDraft, field: RuleField): RuleDraft => {
  const { kind } = FIELDS[field]
  const nextRelation = RELATIONS[kind].find((one) => one === relation) ?? "equals"
  return { key, field, relation: nextRelation, text: kind === "boolean" ? "true" : kind === "time" ? "" : text }
}

export const withRelation = ({ field, key, text }: RuleDraft, relation: Relation): RuleDraft => ({
  key,
  field,
  relation,
  text
})

export const withText = ({ field, key, relation }: RuleDraft, text: string): RuleDraft => ({
  key,
  field,
  relation,
  text
})

const valueOf = (text: string, kind: Kind, relation: Relation): unknown => {
  switch (kind) {
    case "text":
      return text
    case "number":
      return Result.getOrUndefined(parseNumber(text))
    case "boolean":
      return text === "true"
    case "time": {
      const at = new Date(text)
      return hasManyValues(relation) || Number.isNaN(at.getTime()) ? text : at.toISOString()
    }
  }
}

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Converts form values to a rule. An unedited rule is returned as saved. */
export const ruleOf = ({ field, saved, relation, text }: RuleDraft): Rule => {
  if (saved !== undefined) return saved
  if (hasNoValue(relation)) return { field, relation }
  const { kind } = FIELDS[field]
  return hasManyValues(relation)
    ? { field, relation, value: lines(text).map((line) => valueOf(line, kind, relation)) }
    : { field, relation, value: valueOf(text, kind, relation) }
}

/** Message of a value that is missing, or is no number. An empty text would match every product. */
export const valueProblem = (rule: RuleDraft): string | undefined => {
  const { field, relation, saved, text } = rule
  if (hasNoValue(relation)) return undefined
  if (text.trim() === "") return collectionTexts.form.missingValue
  if (saved !== undefined || FIELDS[field].kind !== "number") return undefined
  if (!hasManyValues(relation)) return problemsOf(text)[0]
  return lines(text).flatMap((line) => problemsOf(line).map((problem) => collectionTexts.form.line(line, problem)))[0]
}

const problemsOf = (text: string) =>
  Result.match(parseNumber(text), { onFailure: (problem) => [problem], onSuccess: () => [] })
