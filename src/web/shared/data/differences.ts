import { Schema, Struct } from "effect"
import { isUuid } from "../../../domain/Uuid.ts"
import { Capability } from "../../../domain/access/Capability.ts"
import { grantDescriptions } from "./grants.ts"
import { Scope } from "../../../domain/access/Scope.ts"
import { canonical, isObject, type JsonObject } from "../../../domain/json/Json.ts"
import { fieldTexts } from "../fieldTexts.ts"
import { dataTexts } from "../sharedTexts.ts"
import { type Dates, money, number, percentChange } from "./format.ts"

/** Field that differs between two versions, formatted for people. An empty text means no value. */
export interface Difference {
  /** Unique path within the resource. */
  readonly path: string
  /** Label of the field, with its parents, such as "Dimensions · Width". */
  readonly name: string
  readonly before: string
  readonly after: string
}

/** Fields that the service sets and that change with every write. */
const SERVICE_FIELDS = ["id", "version", "createdAt", "updatedAt", "productCount"]

/** Ids whose resource is shown by name instead. */
const ID_FIELDS = ["appId", "createdBy", "installationId", "merchantId", "planId"]

const HIDDEN_FIELDS: ReadonlySet<string> = new Set([...SERVICE_FIELDS, ...ID_FIELDS])

/** Timestamps, shown in the time zone of the browser. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  "cancelledAt",
  "endsAt",
  "installedAt",
  "periodEndsAt",
  "startedAt",
  "trialEndsAt"
])

const PRICE_FIELDS: ReadonlySet<string> = new Set(["price", "discountedPrice", "costPrice"])

const isPrice = (field: string, value: unknown): value is number => PRICE_FIELDS.has(field) && typeof value === "number"

const fieldLabels: Readonly<Record<string, string>> = { ...fieldTexts, ...dataTexts.fields }

/** Label of a field, such as "Country of origin". */
export const fieldName = (field: string): string => {
  if (Object.hasOwn(fieldLabels, field)) return fieldLabels[field] ?? field
  const words = field.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)

/** Formats a value for people. */
const valueText = (value: unknown): string => {
  if (isNothing(value)) return ""
  if (typeof value === "boolean") return value ? dataTexts.values.yes : dataTexts.values.no
  if (typeof value === "number") return number(value)
  if (Array.isArray(value)) return value.map(valueText).join(value.some(isObject) ? "\n" : ", ")
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .filter(([key, member]) => key !== "id" && !isNothing(member))
    .map(([key, member]) => `${fieldName(key)}: ${valueText(member)}`)
    .join(", ")
}

const isGrant = Schema.is(Schema.Union([Scope, Capability]))

const grantText = (name: unknown) => (isGrant(name) ? grantDescriptions[name].title : name)

const areIds = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && isUuid(item))

/** Summarizes lists of ids by their count, because ids mean nothing to people. */
const textsOfIds = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): Pick<Difference, "before" | "after"> => {
  const [old, now] = [new Set(before), new Set(after)]
  const [added, removed] = [after.filter((id) => !old.has(id)).length, before.filter((id) => !now.has(id)).length]
  const changed =
    added + removed === 0
      ? dataTexts.values.reorderedProducts(after.length)
      : dataTexts.values.changedProducts(after.length, added, removed)
  return {
    before: before.length === 0 ? "" : dataTexts.values.products(before.length),
    after: after.length === 0 ? "" : before.length === 0 ? dataTexts.values.products(after.length) : changed
  }
}

/** Price with its change in percent, if there was one before. */
const priceText = (price: number, before: unknown, currency: string) =>
  typeof before === "number" && before !== 0 && before !== price
    ? dataTexts.values.changedPrice(money(price, currency), percentChange(before, price))
    : money(price, currency)

/** Replaces timestamps and permissions with their labels. */
const withLabels = (field: string, value: unknown, { time }: Dates): unknown => {
  if (TIME_FIELDS.has(field) && typeof value === "string") return time(value)
  return (field === "scopes" || field === "capabilities") && Array.isArray(value)
    ? value.map(grantText).join(" · ")
    : value
}

const textsOf = (before: unknown, after: unknown): Pick<Difference, "before" | "after"> => {
  const [old, now] = [before ?? [], after ?? []]
  return areIds(old) && areIds(now) ? textsOfIds(old, now) : { before: valueText(before), after: valueText(after) }
}

/** Indexes a list by the ids of its items. Undefined if an item has no id. */
const itemsById = (value: unknown): JsonObject | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const items = value.filter(isObject)
  return items.length === value.length && items.every(({ id }) => typeof id === "string")
    ? Object.fromEntries(items.map((item) => [String(item["id"]), item]))
    : undefined
}

/** Nested fields of a value, if it has any. */
const membersOf = (value: unknown) => itemsById(value) ?? (isObject(value) ? value : undefined)

/** Label of a nested item: its title if it has an id, otherwise the field name. */
const nameOf = (field: string, side: unknown) =>
  isObject(side) && typeof side["id"] === "string"
    ? String(side["title"] ?? side["name"] ?? dataTexts.values.untitled)
    : fieldName(field)

/** Format of values. */
export interface ValueFormat {
  /** Currency of the prices of a product. */
  readonly currency?: string | undefined
  readonly dates: Dates
}

/** Label and path of a nested value. */
interface FieldPosition {
  readonly name: string
  readonly path: string
}

const differencesAt = (
  { name, path }: FieldPosition,
  before: unknown,
  after: unknown,
  format: ValueFormat
): ReadonlyArray<Difference> => {
  if (isNothing(before) && isNothing(after)) return []
  if (canonical(before ?? null) === canonical(after ?? null)) return []
  const [old, now] = [membersOf(before), membersOf(after)]
  return old === undefined && now === undefined
    ? [{ name, path, ...textsOf(before, after) }]
    : differencesOf(old ?? null, now ?? null, format, { name: `${name} · `, path: `${path}.` })
}

/**
 * Compares two versions of a resource field by field. A created or deleted resource has null on one side. Prices of
 * products need a currency.
 */
export const differencesOf = (
  before: JsonObject | null,
  after: JsonObject | null,
  format: ValueFormat,
  parent: FieldPosition = { name: "", path: "" }
): ReadonlyArray<Difference> =>
  Object.keys({ ...before, ...after })
    .filter((field) => (parent.path === "" ? !HIDDEN_FIELDS.has(field) : field !== "id"))
    .flatMap((field) => {
      const path = `${parent.path}${field}`
      const shown = (value: unknown, previous?: unknown) =>
        isPrice(field, value) && format.currency !== undefined
          ? priceText(value, previous, format.currency)
          : withLabels(path, value, format.dates)
      const [old, now] = [shown(before?.[field]), shown(after?.[field], before?.[field])]
      const name = `${parent.name}${nameOf(field, now ?? old)}`
      return differencesAt({ name, path }, old, now, format)
    })

/* Three-way merge of a form that another user saved meanwhile. */

export const isSame = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b)

/** Fields in which two drafts differ. */
export const differences = <Draft extends object>(a: Draft, b: Draft): ReadonlyArray<keyof Draft> =>
  Struct.keys(a).filter((field) => !isSame(a[field], b[field]))

/** Copies these fields from another draft. */
export const withFields = <Draft extends object>(
  draft: Draft,
  other: Draft,
  fields: ReadonlyArray<keyof Draft>
): Draft => {
  const next = { ...draft }
  for (const field of fields) next[field] = other[field]
  return next
}

interface Merged<Draft> {
  /** Their saved values, overlaid with the local changes. */
  readonly draft: Draft
  /** Fields that only the other user changed. */
  readonly changedByThem: ReadonlyArray<keyof Draft>
  /** Fields that both changed to different values. */
  readonly conflicts: ReadonlyArray<keyof Draft>
}

/** Merges `mine` into `theirs`. Both started from `base`. Local changes are never lost. */
export const merge = <Draft extends object>(base: Draft, mine: Draft, theirs: Draft): Merged<Draft> => {
  const changedByMe = differences(base, mine)
  const changedByOther = differences(base, theirs)
  return {
    draft: withFields(theirs, mine, changedByMe),
    changedByThem: changedByOther.filter((field) => !changedByMe.includes(field)),
    conflicts: changedByOther.filter((field) => changedByMe.includes(field) && !isSame(mine[field], theirs[field]))
  }
}
