import type { Dates } from "../../../shared/data/dates.ts"
import { Result } from "effect"
import { FIELDS, fieldOf, type Kind, type Relation, RELATIONS, type Rule } from "../../../../domain/catalog/Rule.ts"
import { numberText, parseCanonical } from "../../../shared/data/typedNumbers.ts"
import { collectionTexts } from "../collectionTexts.ts"

const timeRelations: Partial<Record<Relation, string>> = collectionTexts.timeRelations

/** Label of a relation for a field kind. */
export const relationLabel = (relation: Relation, kind: Kind): string =>
  (kind === "time" ? timeRelations[relation] : undefined) ?? collectionTexts.relations[relation]

/** Formats a number of a rule. Apps can also send it as text. */
export const ruleNumberText = (value: string | number): string =>
  typeof value === "string"
    ? Result.match(parseCanonical(value), { onFailure: () => value, onSuccess: numberText })
    : numberText(value)

/** Text of a value: quoted text, yes or no, or a formatted number or time. */
export const ruleValueText = (value: unknown, kind: Kind, dates: Dates): string => {
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
