import { Schema } from "effect"
import { Capability } from "../../domain/access/Capability.ts"
import { GRANT_WORDS } from "../../domain/access/GrantWords.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { canonical, ExactNumber, isObject, type JsonObject } from "../../domain/Json.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { count, number, time } from "./format.ts"

/** A field that is not the same on both sides, as people read it: an empty text where there is nothing. */
export interface Difference {
  /** Where it stands, which no two of a resource share. */
  readonly path: string
  /** What the field is called: of what stands in another, both, as in "Dimensions · Width". */
  readonly name: string
  readonly before: string
  readonly after: string
}

/** What the service keeps about a resource, which differs whenever something else does. */
const SERVICE_FIELDS = ["id", "version", "createdAt", "updatedAt", "productCount"]

/** Ids of what is told by its name. */
const ID_FIELDS = ["appId", "createdBy", "installationId", "merchantId", "planId"]

const HIDDEN_FIELDS: ReadonlySet<string> = new Set([...SERVICE_FIELDS, ...ID_FIELDS])

/** Moments, which are told in the time zone of the browser. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  "cancelledAt",
  "endsAt",
  "installedAt",
  "periodEndsAt",
  "startedAt",
  "trialEndsAt"
])

/** What is called otherwise than its words say. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  appName: "App",
  budget: "Daily write limit",
  categoryId: "Category ID",
  categoryName: "Category name",
  capabilities: "Capabilities",
  costPrice: "Cost",
  currencyCode: "Currency",
  discountedPrice: "Sale price",
  disjunctive: "Match any rule",
  faqs: "Questions and answers",
  hsCode: "HS code",
  imageUrl: "Image",
  isActive: "Active",
  metafields: "Metafields",
  planName: "Plan",
  productIds: "Products",
  proposalsOnly: "Approval required",
  scopes: "Permissions",
  seoDescription: "SEO description",
  seoTitle: "SEO title",
  sku: "SKU",
  vendorName: "Vendor",
  window: "Requests per minute"
}

/** What people call a field, as in "Discounted price". */
export const fieldName = (field: string): string => {
  if (Object.hasOwn(FIELD_LABELS, field)) return FIELD_LABELS[field] ?? field
  const words = field.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)

/** A value as people read it. */
export const valueText = (value: unknown): string => {
  if (isNothing(value)) return ""
  if (typeof value === "boolean") return value ? "Yes" : "No"
  if (typeof value === "number" || value instanceof ExactNumber) return number(value)
  if (Array.isArray(value)) return value.map(valueText).join(value.some(isObject) ? "\n" : ", ")
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .filter(([key, member]) => key !== "id" && !isNothing(member))
    .map(([key, member]) => `${fieldName(key)}: ${valueText(member)}`)
    .join(", ")
}

const isGrant = Schema.is(Schema.Union([Scope, Capability]))

const grantText = (name: unknown) => (isGrant(name) ? GRANT_WORDS[name].title : name)

const areIds = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && isUuid(item))

/** Ids tell people nothing: how many there are does, and how many came and went. */
const textsOfIds = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): Pick<Difference, "before" | "after"> => {
  const [old, now] = [new Set(before), new Set(after)]
  const [added, removed] = [after.filter((id) => !old.has(id)).length, before.filter((id) => !now.has(id)).length]
  const moved = added + removed === 0 ? ", reordered" : `: ${number(added)} added, ${number(removed)} removed`
  return {
    before: before.length === 0 ? "" : count(before.length, "product"),
    after: after.length === 0 ? "" : `${count(after.length, "product")}${before.length === 0 ? "" : moved}`
  }
}

/** What stands in a field of what members administer, in words. */
const withLabels = (field: string, value: unknown): unknown => {
  if (TIME_FIELDS.has(field) && typeof value === "string") return time(value)
  return (field === "scopes" || field === "capabilities") && Array.isArray(value)
    ? value.map(grantText).join(" · ")
    : value
}

const textsOf = (before: unknown, after: unknown): Pick<Difference, "before" | "after"> => {
  const [old, now] = [before ?? [], after ?? []]
  return areIds(old) && areIds(now) ? textsOfIds(old, now) : { before: valueText(before), after: valueText(after) }
}

/** Lists of things that have ids, as variants, by those: nothing of lists of anything else. */
const itemsById = (value: unknown): JsonObject | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const items = value.filter(isObject)
  return items.length === value.length && items.every(({ id }) => typeof id === "string")
    ? Object.fromEntries(items.map((item) => [String(item["id"]), item]))
    : undefined
}

/** What else a value is made of, if it is. */
const membersOf = (value: unknown) => itemsById(value) ?? (isObject(value) ? value : undefined)

/** One of the things with ids is called by its title, anything else as a field. */
const nameOf = (field: string, side: unknown) =>
  isObject(side) && typeof side["id"] === "string"
    ? String(side["title"] ?? side["name"] ?? "Untitled")
    : fieldName(field)

/** What of another a difference stands in. */
interface Place {
  readonly name: string
  readonly path: string
}

const differencesAt = ({ name, path }: Place, before: unknown, after: unknown): ReadonlyArray<Difference> => {
  if (isNothing(before) && isNothing(after)) return []
  if (canonical(before ?? null) === canonical(after ?? null)) return []
  const [old, now] = [membersOf(before), membersOf(after)]
  return old === undefined && now === undefined
    ? [{ name, path, ...textsOf(before, after) }]
    : differencesOf(old ?? null, now ?? null, { name: `${name} · `, path: `${path}.` })
}

/** What differs between a resource as it was and as it is, field by field: of one that is made or goes, all there is. */
export const differencesOf = (
  before: JsonObject | null,
  after: JsonObject | null,
  within: Place = { name: "", path: "" }
): ReadonlyArray<Difference> =>
  Object.keys({ ...before, ...after })
    .filter((field) => (within.path === "" ? !HIDDEN_FIELDS.has(field) : field !== "id"))
    .flatMap((field) => {
      const path = `${within.path}${field}`
      const [old, now] = [withLabels(path, before?.[field]), withLabels(path, after?.[field])]
      const name = `${within.name}${nameOf(field, now ?? old)}`
      return differencesAt({ name, path }, old, now)
    })
