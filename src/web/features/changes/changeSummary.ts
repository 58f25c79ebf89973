import { Schema } from "effect"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import { Edit } from "../../../domain/changeSets/Edit.ts"
import { number } from "../../shared/data/format.ts"
import { changeTexts } from "./changeTexts.ts"

const texts = changeTexts.preview

const isEdit = Schema.is(Schema.toType(Edit))

const KINDS_OF_EDIT = ["price", "discountedPrice", "stock", "tags", "collections", "patch", "delete"] as const

/** Title of a change set, from its note or its content. */
export const titleOf = ({ change, import: file, note, undoes }: ChangeSet): string => {
  if (note !== null) return note
  if (undoes !== null) return changeTexts.titles.undo
  if (file !== null) return changeTexts.titles.import(file.kind)
  const kind = isEdit(change) ? KINDS_OF_EDIT.find((one) => change[one] !== undefined) : undefined
  return changeTexts.titles[kind ?? "other"]
}

/** Texts of the rows of a set. Only a change of selected products has rows of one kind. */
const rowTextsOf = ({ change }: ChangeSet) => {
  if (!isEdit(change)) return changeTexts.rows.item
  return change.collections === undefined ? changeTexts.rows.product : changeTexts.rows.collection
}

/** True if the set deletes the products that it selected. */
export const isDeletion = ({ change }: ChangeSet): boolean => isEdit(change) && change.delete === true

/** Members that the service computes from others. */
const COMPUTED: ReadonlySet<string> = new Set(["onSale"])

/** Members of which a set changes values rather than products. */
const VALUES: ReadonlySet<string> = new Set(["price", "discountedPrice", "costPrice", "stock"])

/** Count of the updated values: of the member, if the updates change the same one. */
const updatedTextOf = (set: ChangeSet) => {
  const [first, ...others] = (set.preview?.fields ?? []).filter(({ field }) => !COMPUTED.has(field))
  const isOnly = first !== undefined && others.length === 0 && first.count === set.preview?.updated
  return (
    (isOnly && VALUES.has(first.field) ? changeTexts.fieldChanges[first.field] : undefined) ?? rowTextsOf(set).change
  )
}

/** Counts of a preview, such as "3,241 prices change, 2 unchanged, 1 refused". */
export const headlineOf = (set: ChangeSet): string => {
  const { counts, preview } = set
  const { created = 0, deleted = 0, updated = counts.changed } = preview ?? {}
  const isEmpty = created + deleted + updated === 0
  return [
    created > 0 ? texts.created(created) : [],
    updated > 0 || (isEmpty && !isDeletion(set)) ? updatedTextOf(set)(updated) : [],
    deleted > 0 || (isEmpty && isDeletion(set)) ? rowTextsOf(set).deleted(deleted) : [],
    counts.unchanged > 0 ? texts.unchanged(counts.unchanged) : [],
    counts.refused > 0 ? texts.refused(counts.refused) : []
  ]
    .flat()
    .join(", ")
}

/** Maximum number of fields and of collections that are named. */
const NAMED = 5

/** Consequences of a preview in sentences: prices, fields, collections and apps. */
export const consequencesOf = (set: ChangeSet, price: (amount: number) => string = number): ReadonlyArray<string> => {
  const { preview } = set
  if (preview === null) return []
  const { collections, events, fields, highestPrice, lowestPrice } = preview
  const apps = new Map(
    events.flatMap(({ recipients }) => recipients.map(({ appName, installationId }) => [installationId, appName]))
  )
  const counted = fields.flatMap(({ count, field }) => {
    const text = changeTexts.fieldChanges[field]
    return text === undefined ? [] : [text(count)]
  })
  const crossings = (collections ?? [])
    .slice(0, NAMED)
    .flatMap(({ enters, leaves, title }) => [
      ...(enters > 0 ? [texts.enters(enters, title)] : []),
      ...(leaves > 0 ? [texts.leaves(leaves, title)] : [])
    ])
  const hidden = (collections?.length ?? 0) - NAMED
  const isChanging = set.counts.changed > 0
  return [
    lowestPrice === null || highestPrice === null ? [] : texts.newPrices(price(lowestPrice), price(highestPrice)),
    // The headline counts a single field.
    counted.length > 1 ? counted.slice(0, NAMED).join(", ") : [],
    crossings.length > 0 ? crossings.join(", ") : [],
    hidden > 0 ? texts.moreCollections(hidden) : [],
    collections === null && isChanging ? texts.notCounted : [],
    isChanging ? texts.notified(apps.size, [...apps.values()].join(", ")) : []
  ].flat()
}
