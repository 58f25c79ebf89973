import { Result } from "effect"
import {
  FIELDS,
  fieldOf,
  type Kind,
  type Relation,
  RELATIONS,
  type Rule,
  type RuleField
} from "../../../domain/catalog/Rule.ts"
import { stringify } from "../../../domain/Json.ts"
import { parseNumber } from "../../data/parseInput.ts"

/* A rule as it stands in the fields of a form: what it is compared with is the text that somebody types. */

export interface RuleDraft {
  /** Stays while the rule is typed into. */
  readonly key: string
  readonly field: RuleField
  readonly relation: Relation
  /** One value, or one in each line. */
  readonly text: string
  /** As it is saved, until something of it is changed. */
  readonly saved?: Rule
}

const hasManyValues = (relation: Relation) => relation === "in" || relation === "not_in"
const hasNoValue = (relation: Relation) => relation === "is_set" || relation === "is_not_set"

/** In what a value is typed: nothing, a choice, a line, or a line for each. */
export const valueInputOf = ({ field, relation }: RuleDraft): Kind | "none" | "lines" => {
  if (hasNoValue(relation)) return "none"
  return hasManyValues(relation) ? "lines" : FIELDS[field].kind
}

const twoDigits = (part: number) => String(part).padStart(2, "0")

/** A moment as the browser's own field takes it, in its time zone. */
const localTime = (text: string) => {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return ""
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-")
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

const textOf = (value: unknown, kind: Kind, relation: Relation): string => {
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? one : stringify(one))).join("\n")
  if (value === undefined || value === null) return ""
  const text = typeof value === "string" ? value : stringify(value)
  return kind === "time" && !hasManyValues(relation) ? localTime(text) : text
}

/** The form of a rule that is saved. */
export const ruleDraft = (rule: Rule, key: string): RuleDraft => {
  const field = fieldOf(rule.field) ?? "title"
  const { kind } = FIELDS[field]
  const relation = RELATIONS[kind].find((one) => one === rule.relation) ?? "equals"
  return { key, field, relation, text: textOf(rule.value, kind, relation), saved: rule }
}

/** A rule that is added to a form. */
export const newRule = (): RuleDraft => ({ key: crypto.randomUUID(), field: "tags", relation: "equals", text: "" })

/** The rule when it asks for another field: what was typed stays where it may. */
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
      // What is no number goes as it is typed: the domain says what is wrong with it.
      return Result.getOrElse(parseNumber(text), () => text)
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

/** The rule that a form says, which the domain then takes or refuses. One that was not touched is as it is saved. */
export const ruleOf = ({ field, saved, relation, text }: RuleDraft): Rule => {
  if (saved !== undefined) return saved
  if (hasNoValue(relation)) return { field, relation }
  const { kind } = FIELDS[field]
  return hasManyValues(relation)
    ? { field, relation, value: lines(text).map((line) => valueOf(line, kind, relation)) }
    : { field, relation, value: valueOf(text, kind, relation) }
}

/** Whether something is still to be typed: a rule on text would else hold for all that have any. */
export const isMissingValue = (rule: RuleDraft): boolean => valueInputOf(rule) !== "none" && rule.text.trim() === ""
