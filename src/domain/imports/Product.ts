import { Result } from "effect"
import { MAX_VARIANTS } from "../catalog/ProductFields.ts"
import type { Product, UpdateProduct } from "../catalog/Product.ts"
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

/** Makes a product of a JSON row. Its fields are a PATCH; its variants are merged into the stored ones. */
export const importedProduct =
  ({ options, variants, ...fields }: UpdateProduct, replaceVariants: boolean): ImportedProduct =>
  (before, at) => {
    const stored = before?.variants ?? []
    if (variants === undefined) return Result.succeed({ ...fields, ...(options && { options }) })
    return Result.flatMap(
      mergeVariants(
        stored,
        variants.map((set) => ({ set, clear: [] })),
        (patch) => patch,
        { replaceVariants, at }
      ),
      ({ remaining, variants }) =>
        checkVariants({
          ...fields,
          ...(options && { options: mergeOptions(before?.options ?? [], options, remaining) }),
          variants
        })
    )
  }
