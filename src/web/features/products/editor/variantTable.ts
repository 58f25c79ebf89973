import { Result, Struct } from "effect"
import { MAX_VARIANTS } from "../../../../domain/catalog/ProductParts.ts"
import { parseAmount, parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { productTexts } from "../productTexts.ts"
import { newItemKey, type OptionDraft, VARIANT_AMOUNTS, type VARIANT_TEXTS, type VariantDraft } from "./productDraft.ts"

/* Variants that follow from options, and edits of many cells of their table. */

type Choices = VariantDraft["choices"]
type Options = ReadonlyArray<OptionDraft>
type Variants = ReadonlyArray<VariantDraft>

/** Title of a new variant. */
const titleOf = (choices: Choices, options: Options) =>
  options.flatMap(({ key }) => (choices[key] ? [choices[key]] : [])).join(" / ")

export const newVariant = (choices: Choices = {}, options: Options = []): VariantDraft => ({
  key: newItemKey(),
  title: titleOf(choices, options),
  sku: "",
  barcode: "",
  price: "",
  discountedPrice: "",
  costPrice: "",
  stock: "",
  imageUrl: "",
  choices
})

/** True for a variant of the service. */
const isSaved = ({ key }: VariantDraft) => !key.startsWith("new ")

/** True if removing the variant loses no input. */
export const isEmpty = (variant: VariantDraft, options: Options): boolean =>
  !isSaved(variant) &&
  variant.title === titleOf(variant.choices, options) &&
  (["sku", "barcode", "stock", "imageUrl", ...VARIANT_AMOUNTS] as const).every((field) => variant[field] === "")

/** Changes the option values of a variant. A title made of the former ones follows. */
const withChoices = (variant: VariantDraft, choices: Choices, before: Options, after: Options): VariantDraft => {
  const title = titleOf(choices, after)
  const isAutomatic = variant.title === titleOf(variant.choices, before) && title !== ""
  return { ...variant, choices, title: isAutomatic ? title : variant.title }
}

const withValues = (options: Options) => options.filter(({ values }) => values.length > 0)

/** Identifies a combination of option values. */
const combinationOf = (options: Options) => (choices: Choices) =>
  JSON.stringify(options.map(({ key }) => choices[key] ?? ""))

/** Number of combinations of option values. */
export const combinationCount = (options: Options): number =>
  withValues(options).reduce((product, { values }) => product * values.length, 1)

/** New variants for missing combinations, up to the limit of a product. */
export const missingVariants = (
  options: Options,
  variants: Variants,
  isWanted: (choices: Choices) => boolean = () => true
): Variants => {
  const used = withValues(options)
  if (used.length === 0) return []
  const combination = combinationOf(used)
  const existing = new Set(variants.map(({ choices }) => combination(choices)))
  return used
    .reduce<ReadonlyArray<Choices>>(
      (combined, { key, values }) =>
        combined.flatMap((choices) => values.map((value) => ({ ...choices, [key]: value }))).slice(0, MAX_VARIANTS),
      [{}]
    )
    .filter((choices) => !existing.has(combination(choices)) && isWanted(choices))
    .slice(0, Math.max(0, MAX_VARIANTS - variants.length))
    .map((choices) => newVariant(choices, options))
}

/** Removes the values of deleted options from variants. Empty variants that are then alike are left out. */
const withoutDeleted = (variants: Variants, before: Options, after: Options): Variants => {
  const deleted = before.map(({ key }) => key).filter((key) => !after.some((option) => option.key === key))
  if (deleted.length === 0) return variants
  const combination = combinationOf(after)
  const empty = new Set(variants.filter((variant) => isEmpty(variant, before)).map(({ key }) => key))
  const rest = variants.map((variant) => withChoices(variant, Struct.omit(variant.choices, deleted), before, after))
  const taken = new Set(rest.filter(({ key }) => !empty.has(key)).map(({ choices }) => combination(choices)))
  return rest.filter(({ choices, key }) => {
    if (!empty.has(key)) return true
    const combined = combination(choices)
    const isAlike = taken.has(combined) || titleOf(choices, after) === ""
    taken.add(combined)
    return !isAlike
  })
}

/**
 * Variants after a change of the options. Existing ones keep their ids, prices and stock: the first value of a new
 * option becomes theirs. Combinations with new values are added. Other combinations that a user removed stay removed.
 */
export const followOptions = (variants: Variants, before: Options, after: Options): Variants => {
  const valuesBefore = (key: string) => before.find((option) => option.key === key)?.values ?? []
  const added = after
    .map(({ key, values }) => ({ key, values: values.filter((value) => !valuesBefore(key).includes(value)) }))
    .filter(({ values }) => values.length > 0)
  const rest = withoutDeleted(variants, before, after)
  if (added.length === 0) return rest
  const completed = rest.map((variant) => {
    const first = added.flatMap(({ key, values: [value = ""] }) =>
      valuesBefore(key).length === 0 && !variant.choices[key] ? [[key, value]] : []
    )
    return first.length === 0 || titleOf(variant.choices, after) === ""
      ? variant
      : withChoices(variant, { ...variant.choices, ...Object.fromEntries(first) }, before, after)
  })
  const isNew = (choices: Choices) => added.some(({ key, values }) => values.includes(choices[key] ?? ""))
  return [...completed, ...missingVariants(after, completed, isNew)]
}

export interface VariantGroup {
  readonly name: string
  readonly variants: Variants
}

/** Variants by the value of the first option, or none if they have fewer than two options. */
export const groupsOf = (options: Options, variants: Variants): ReadonlyArray<VariantGroup> => {
  const [first, second] = withValues(options)
  if (first === undefined || second === undefined) return []
  const groups = new Map<string, Array<VariantDraft>>(first.values.map((value) => [value, []]))
  for (const variant of variants) {
    const name = variant.choices[first.key] ?? ""
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [variant])
    else group.push(variant)
  }
  return [...groups].filter(([, group]) => group.length > 0).map(([name, group]) => ({ name, variants: group }))
}

/** Lowest and highest price. A variant without a price has that of the product. */
export const priceRange = (variants: Variants, productPrice: string): readonly [number, number] | undefined => {
  const prices = variants.map(({ price }) => parseNumber(price || productPrice)).filter(Result.isSuccess)
  const [first, ...others] = prices.map(({ success }) => success)
  if (first === undefined) return undefined
  return others.reduce<readonly [number, number]>(
    ([low, high], price) => [Math.min(low, price), Math.max(high, price)],
    [first, first]
  )
}

/** Editable column of the table. */
export interface CellColumn {
  readonly id: string
  readonly name: string
  readonly isNumber: boolean
  /** Values of an option. Without them, the cell takes any text. */
  readonly choices?: ReadonlyArray<string>
  readonly read: (variant: VariantDraft) => string
  readonly write: (variant: VariantDraft, text: string) => VariantDraft
  /** Reason to refuse a text for a variant. */
  readonly refusal: (variant: VariantDraft, text: string) => string | undefined
}

const problemOf = (parsed: Result.Result<number, string>) =>
  Result.match(parsed, { onFailure: (problem) => problem, onSuccess: () => undefined })

const columnNames = {
  ...Struct.pick(productTexts.fields, [...VARIANT_AMOUNTS, "sku", "barcode", "stock"]),
  title: productTexts.variants.title
}

const fieldColumn = (
  field: (typeof VARIANT_TEXTS)[number] | (typeof VARIANT_AMOUNTS)[number],
  currency: string
): CellColumn => {
  const isNumber = VARIANT_AMOUNTS.some((name) => name === field)
  return {
    id: field,
    name: columnNames[field],
    isNumber,
    read: (variant) => variant[field],
    write: (variant, text) => ({ ...variant, [field]: text }),
    refusal: (variant, text) => {
      if (!isNumber) return undefined
      return text === ""
        ? variant[field] === "" || !isSaved(variant)
          ? undefined
          : productTexts.form.cannotClear
        : problemOf(parseAmount(text, currency, variant[field]))
    }
  }
}

const stockColumn: CellColumn = {
  id: "stock",
  name: columnNames.stock,
  isNumber: true,
  read: ({ stock }) => stock,
  write: (variant, stock) => ({ ...variant, stock }),
  refusal: (variant, text) => {
    if (isSaved(variant)) return productTexts.variants.savedStock
    return text === "" ? undefined : problemOf(parseWhole(text))
  }
}

/** Columns of the table: option values, then the others with the most used first. */
export const cellColumns = (options: Options, hasStock: boolean, currency: string): ReadonlyArray<CellColumn> => [
  ...options.map(({ key, name, values }) => ({
    ...(values.length === 0 ? {} : { choices: values }),
    id: `options.${name}`,
    name: name || productTexts.variants.newOption,
    isNumber: false,
    read: ({ choices }: VariantDraft) => choices[key] ?? "",
    write: (variant: VariantDraft, text: string) =>
      withChoices(variant, { ...variant.choices, [key]: text }, options, options),
    refusal: () => undefined
  })),
  fieldColumn("price", currency),
  ...(hasStock ? [stockColumn] : []),
  ...(["sku", "barcode", "discountedPrice", "costPrice", "title"] as const).map((field) => fieldColumn(field, currency))
]

interface Refusal {
  readonly key: string
  readonly column: string
  readonly reason: string
}

/** Result of an edit of many cells. */
export interface CellsEdit {
  readonly variants: Variants
  /** Number of filled cells. */
  readonly filled: number
  readonly refused: ReadonlyArray<Refusal>
  /** Number of texts beyond the last row or column. */
  readonly outside: number
}

/** Cells of a copied range of a spreadsheet. It quotes texts with tabs, line breaks and quotation marks. */
export const parseCells = (copied: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = [[]]
  const text = copied.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "")
  for (const [, cell = "", end] of text.matchAll(/("(?:[^"]|"")*"(?=[\t\n]|$)|[^\t\n]*)(\t|\n|$)/g)) {
    rows.at(-1)?.push((/^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell).trim())
    if (end === "\n") rows.push([])
    if (end === "") break
  }
  return rows
}

/** Fills cells from the first row and column on with those of a spreadsheet. Refused ones stay as they are. */
export const pasteCells = (
  variants: Variants,
  keys: ReadonlyArray<string>,
  columns: ReadonlyArray<CellColumn>,
  cells: ReadonlyArray<ReadonlyArray<string>>
): CellsEdit => {
  const rows = new Map(keys.slice(0, cells.length).map((key, index) => [key, cells[index] ?? []]))
  const refused: Array<Refusal> = []
  let filled = 0
  const next = variants.map((variant) =>
    (rows.get(variant.key) ?? []).reduce((row, text, index) => {
      const column = columns[index]
      if (column === undefined || column.read(row) === text) return row
      const reason = column.refusal(row, text)
      if (reason === undefined) filled += 1
      else refused.push({ key: row.key, column: column.name, reason })
      return reason === undefined ? column.write(row, text) : row
    }, variant)
  )
  const outside = cells.map((row, index) => (keys[index] === undefined ? row : row.slice(columns.length)))
  return { variants: next, filled, refused, outside: outside.flat().filter((text) => text !== "").length }
}

/** Copies the text of the first of these rows to the others. */
export const fillDown = (variants: Variants, keys: ReadonlyArray<string>, column: CellColumn): CellsEdit => {
  const [first, ...below] = keys
  const source = variants.find(({ key }) => key === first)
  const text = source === undefined ? "" : column.read(source)
  return pasteCells(
    variants,
    below,
    [column],
    below.map(() => [text])
  )
}

/** Message of a refused cell. */
export const refusalText = (variants: Variants, { column, key, reason }: Refusal): string =>
  `${productTexts.variants.location(variants.findIndex((variant) => variant.key === key) + 1, column)}: ${reason}`
