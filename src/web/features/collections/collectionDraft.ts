import { Result } from "effect"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { type Collection, CreateCollection, UpdateCollection } from "../../../domain/catalog/Collection.ts"
import type { ProductId } from "../../../domain/catalog/Product.ts"
import type { Rule } from "../../../domain/catalog/Rule.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { problemText } from "../../shared/data/errorMessages.ts"
import { differences } from "../../shared/data/differences.ts"
import { collectionTexts } from "./collectionTexts.ts"
import { type RuleDraft, ruleDraft, ruleOf, valueProblem } from "./ruleDraft.ts"

/* Form values of a collection. */

export interface Draft {
  readonly title: string
  readonly type: Collection["type"]
  readonly description: string
  readonly imageUrl: string
  readonly isActive: boolean
  readonly slug: string
  readonly seoTitle: string
  readonly metaDescription: string
  readonly disjunctive: boolean
  readonly rules: ReadonlyArray<RuleDraft>
  readonly productIds: ReadonlyArray<ProductId>
}

/** Validation messages by path, such as `rules.0.value`. */
export type Problems = ReadonlyMap<string, string>

export const NO_PROBLEMS: Problems = new Map()

export const newDraft: Draft = {
  title: "",
  type: "manual",
  description: "",
  imageUrl: "",
  isActive: true,
  slug: "",
  seoTitle: "",
  metaDescription: "",
  disjunctive: false,
  rules: [],
  productIds: []
}

/** Form values of a collection. The products of an automated one follow from its rules. */
export const draftOf = (collection: Collection): Draft => ({
  title: collection.title,
  type: collection.type,
  description: collection.description ?? "",
  imageUrl: collection.imageUrl ?? "",
  isActive: collection.isActive,
  slug: collection.slug,
  seoTitle: collection.seoTitle ?? "",
  metaDescription: collection.metaDescription ?? "",
  disjunctive: collection.disjunctive,
  rules: collection.rules.map((rule, index) => ruleDraft(rule, String(index))),
  productIds: collection.type === "manual" ? collection.productIds : []
})

const orNull = (text: string) => (text === "" ? null : text)

const toInput = ({ description, imageUrl, metaDescription, rules, seoTitle, ...draft }: Draft) => ({
  ...draft,
  description: orNull(description),
  imageUrl: orNull(imageUrl.trim()),
  seoTitle: orNull(seoTitle),
  metaDescription: orNull(metaDescription),
  rules: rules.map(ruleOf)
})

/** Parses a line `path: reason`. */
const parseIssue = (line: string) => {
  const at = line.indexOf(": ")
  return at === -1 ? (["", line] as const) : ([line.slice(0, at), problemText(line.slice(at + 2))] as const)
}

const valueProblems = (rules: ReadonlyArray<RuleDraft>) =>
  rules.flatMap((rule, index) => {
    const problem = valueProblem(rule)
    return problem === undefined ? [] : [[`rules.${index}.value`, problem] as const]
  })

/** Without rules, an automated collection has no products, so the form asks for one. */
const missingRules = ({ rules, type }: Draft): ReadonlyArray<readonly [string, string]> =>
  type === "automated" && rules.length === 0 ? [["rules", collectionTexts.form.missingRules]] : []

/** Validates these fields. Fails with all messages. */
const decoder =
  <A>(decode: (input: unknown, strict: boolean) => Result.Result<A, BadRequest>) =>
  (draft: Draft, fields: ReadonlyArray<keyof Draft>): Result.Result<A, Problems> => {
    const input = toInput(draft)
    const values = [
      ...(fields.includes("rules") ? valueProblems(draft.rules) : []),
      ...(fields.includes("rules") || fields.includes("type") ? missingRules(draft) : [])
    ]
    const decoded = decode(Object.fromEntries(fields.map((field) => [field, input[field]])), true).pipe(
      Result.mapError(({ issues = [] }): Problems => new Map([...issues.map(parseIssue), ...values]))
    )
    return values.length === 0 || Result.isFailure(decoded) ? decoded : Result.fail(new Map(values))
  }

const toPatch = decoder(decodeWith(UpdateCollection))
const toCollection = decoder(decodeWith(CreateCollection))

/** Validates the changes to a collection. */
export const patchOf = (base: Draft, draft: Draft): Result.Result<UpdateCollection, Problems> =>
  toPatch(
    draft,
    differences(base, draft).filter((field) => field !== "productIds" || draft.type === "manual")
  )

/** Validates a new collection. Without a slug, the service derives one from the title. */
export const collectionOf = (draft: Draft): Result.Result<CreateCollection, Problems> =>
  toCollection(draft, [...new Set<keyof Draft>(["title", "type", ...differences(newDraft, draft)])])

/** Validates the rules, for the preview. */
export const rulesOf = ({ rules }: Pick<Draft, "rules">): Result.Result<ReadonlyArray<Rule>, Problems> =>
  Result.map(toPatch({ ...newDraft, rules }, ["rules"]), ({ rules = [] }) => rules)

/** True if the change affects the products of an automated collection, so that a preview is shown first. */
export const changesMatches = ({ disjunctive, rules, type }: UpdateCollection, next: Draft): boolean =>
  next.type === "automated" && (disjunctive !== undefined || rules !== undefined || type !== undefined)

/** Items that are added and removed between two lists. */
export const membershipDiff = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>) => {
  const [had, has] = [new Set(before), new Set(after)]
  return { added: after.filter((one) => !had.has(one)), removed: before.filter((one) => !has.has(one)) }
}
