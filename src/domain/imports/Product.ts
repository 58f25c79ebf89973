import { Record, Result } from "effect"
import { MAX_VARIANTS, repeatedOptions } from "../catalog/ProductParts.ts"
import { type Product, UpdateProduct } from "../catalog/Product.ts"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import { formatInteger } from "../Text.ts"
import { mergeOptions, mergeVariants } from "./Variants.ts"

/** Fields of a product that an import sets. Absent fields keep their values. */
export type ProductPatch = Omit<UpdateProduct, "variants"> & { readonly variants?: Product["variants"] }

/**
 * Product of a file: computes the fields to set from the stored product, which is undefined if there is none. A file that
 * has some columns only cannot say what they mean without it. Fails with one message for each problem.
 */
export type ImportedProduct = (
  before: Product | undefined,
  at: Date
) => Result.Result<ProductPatch, ReadonlyArray<string>>

/** Refuses a merged product that has more variants than the API accepts. */
export const checkVariants = (patch: ProductPatch): Result.Result<ProductPatch, ReadonlyArray<string>> =>
  (patch.variants ?? []).length > MAX_VARIANTS
    ? Result.fail([
        `variants: must be at most ${formatInteger(MAX_VARIANTS)}, with those that the product has already; to remove variants that the file leaves out, use --replace-variants`
      ])
    : Result.succeed(patch)

/** Members of a variant that null clears. */
const CLEARABLE = ["title", "sku", "barcode", "price", "discountedPrice", "costPrice", "stock", "options"]

/** Separates the members of a variant that are set from those that are cleared. */
const splitVariant = (variant: unknown) => {
  if (!isObject(variant)) return { set: variant, clear: [] }
  const clear = CLEARABLE.filter((member) => variant[member] === null)
  return { set: Record.filter(variant, (_, member) => !clear.includes(member)), clear }
}

const decodeProduct = compileDecoder(UpdateProduct, { errors: "all" })

/** Decodes a JSON row. Its fields are a PATCH; its variants are merged into the stored ones, and null clears a member. */
export const decodeImportedProduct = (
  { variants: rows, ...row }: JsonObject,
  replaceVariants: boolean
): Result.Result<ImportedProduct, ReadonlyArray<string>> => {
  const patches = Array.isArray(rows) ? rows.map(splitVariant) : undefined
  const variants = patches?.map(({ set }) => set) ?? rows
  const decoded = decodeProduct(variants === undefined ? row : { ...row, variants })
  return Result.mapBoth(decoded, {
    onFailure: issuesOf,
    onSuccess: (product) =>
      importedProduct(
        product,
        (patches ?? []).map(({ clear }) => clear),
        replaceVariants
      )
  })
}

const importedProduct =
  (
    { options, variants, ...fields }: UpdateProduct,
    clear: ReadonlyArray<ReadonlyArray<string>>,
    replaceVariants: boolean
  ): ImportedProduct =>
  (before, at) => {
    if (variants === undefined) return Result.succeed({ ...fields, ...(options && { options }) })
    const merged = mergeVariants(
      before?.variants ?? [],
      variants.map((set, index) => ({ set, clear: clear[index] ?? [] })),
      (patch) => patch,
      { replaceVariants, at }
    )
    return Result.flatMap(merged, ({ remaining, variants }) => {
      if (options === undefined) return checkVariants({ ...fields, variants })
      const mergedOptions = mergeOptions(before?.options ?? [], options, remaining)
      const issues = repeatedOptions(mergedOptions)
      return issues.length > 0
        ? Result.fail(issues.map(({ issue, path }) => `options.${path.join(".")}: ${issue}`))
        : checkVariants({ ...fields, options: mergedOptions, variants })
    })
  }
