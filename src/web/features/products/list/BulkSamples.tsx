import { Result } from "effect"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { type Edit, editProduct } from "../../../../domain/changeSets/Edit.ts"
import { money, number, percentChange } from "../../../shared/data/format.ts"
import { type Column, Table } from "../../../shared/ui/display/Table.tsx"
import { productListTexts } from "./productListTexts.ts"
import type { BulkChange } from "./useBulkChange.ts"

const texts = productListTexts.bulk.samples

/** Number of a product or variant before and after an edit. */
interface Sample {
  readonly key: string
  readonly name: string
  readonly before: number | null
  readonly after: number | null
  /** Undefined for a stock. */
  readonly currency: string | undefined
}

const MAX_SAMPLES = 10

/** Maximum number of variants of one product among the samples, so that others have room. */
const MAX_VARIANTS_SHOWN = 3

const isChanged = ({ after, before }: Sample) => after !== before

/** Numbers that an edit changes, of the first products. Refused products have none. */
export const samplesOf = (products: ReadonlyArray<Product>, edit: Edit): ReadonlyArray<Sample> => {
  const member = (["price", "discountedPrice", "stock"] as const).find((name) => edit[name] !== undefined)
  if (member === undefined) return []
  const samples = products.flatMap((product) => {
    const edited = editProduct(product, edit, new Date(0))
    if (Result.isFailure(edited)) return []
    const { success: after } = edited
    const currency = member === "stock" ? undefined : product.currencyCode
    const { name } = product
    const variants = after.variants.map((variant, index) => ({
      key: variant.id,
      name: `${name} · ${variant.title ?? variant.sku ?? index + 1}`,
      before: product.variants[index]?.[member] ?? null,
      after: variant[member] ?? null,
      currency
    }))
    return [
      ...[{ key: product.id, name, before: product[member], after: after[member], currency }].filter(isChanged),
      ...variants.filter(isChanged).slice(0, MAX_VARIANTS_SHOWN)
    ]
  })
  return samples.slice(0, MAX_SAMPLES)
}

const sampleText = (value: number | null, { currency }: Sample) =>
  value === null ? "—" : currency === undefined ? number(value) : money(value, currency)

const changeText = (before: number | null, after: number | null) =>
  before === null || before === 0 || after === null ? "—" : percentChange(before, after)

const SAMPLE_COLUMNS: ReadonlyArray<Column<Sample>> = [
  { name: texts.product, cell: ({ name }) => name },
  { name: texts.before, isNumber: true, cell: (sample) => sampleText(sample.before, sample) },
  { name: texts.after, isNumber: true, cell: (sample) => sampleText(sample.after, sample) },
  { name: texts.change, isNumber: true, cell: ({ after, before }) => changeText(before, after) }
]

/** Examples of changed numbers, of products and variants. */
export const BulkSamples = ({ edit, refused, target }: BulkChange) => {
  const refusedIds = new Set(refused.map(({ id }) => id))
  const samples = samplesOf(
    target.rows.filter(({ id }) => !refusedIds.has(id)),
    edit
  )
  if (samples.length === 0) return undefined
  return <Table caption={texts.title} columns={SAMPLE_COLUMNS} rows={samples} keyOf={({ key }) => key} />
}
