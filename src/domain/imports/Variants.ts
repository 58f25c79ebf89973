import { Array, Result } from "effect"
import { canonical } from "../json/Json.ts"
import { isText } from "../Text.ts"
import { uuidV7 } from "../Uuid.ts"
import type { Product } from "../catalog/Product.ts"
import type { Variant, VariantInput } from "../catalog/ProductParts.ts"

/** Values that a row sets in a variant, and the members that it clears. The other members keep their values. */
export interface VariantPatch {
  readonly set: VariantInput
  readonly clear: ReadonlyArray<string>
}

export type ProductOptions = Product["options"]

const optionsOf = ({ options = {} }: VariantInput) => (Object.keys(options).length === 0 ? undefined : options)

/** Returns the variants with a key that no other variant of the list has. */
const byUniqueKey = <V>(variants: ReadonlyArray<V>, keyOf: (variant: V) => string | undefined) => {
  const found = new Map<string, V | undefined>()
  for (const variant of variants) {
    const key = keyOf(variant)
    if (key !== undefined) found.set(key, found.has(key) ? undefined : variant)
  }
  return found
}

const skuOf = ({ sku }: VariantInput) => (isText(sku) && sku !== "" ? sku : undefined)

/** Tests whether the variant has all of these option values, and others. */
export const hasOptions = (variant: Variant, options: Readonly<Record<string, string>>) =>
  Object.entries(options).every(([name, value]) => variant.options?.[name] === value)

/**
 * Finds the stored variant that each imported one names: by id, then by all its options, then by a SKU that is unique in
 * the row and in the product, then by some of its options, if they name one variant. An imported variant without options
 * and SKU is found by its title, or else by its position. Fails if options name several variants.
 */
const matchVariants = (
  known: ReadonlyArray<Variant>,
  imported: ReadonlyArray<VariantInput>
): Result.Result<ReadonlyArray<Variant | undefined>, ReadonlyArray<string>> => {
  const matches = new Map<number, Variant>()
  const left = new Set(known)
  const match = (find: (variant: VariantInput, index: number) => Variant | undefined) => {
    for (const [index, variant] of imported.entries()) {
      if (matches.has(index)) continue
      const found = find(variant, index)
      if (found === undefined || !left.delete(found)) continue
      matches.set(index, found)
    }
  }

  const ids = new Map(known.map((variant) => [variant.id, variant] as const))
  match(({ id }) => (isText(id) ? ids.get(id.toLowerCase()) : undefined))

  const sameOptions = Array.groupBy(left, ({ options = {} }) => canonical(options))
  match((variant) => {
    const options = optionsOf(variant)
    return options && sameOptions[canonical(options)]?.find((variant) => left.has(variant))
  })

  const skus = byUniqueKey(known, skuOf)
  const importedSkus = byUniqueKey(imported, skuOf)
  match((variant) => {
    const sku = skuOf(variant)
    return sku !== undefined && importedSkus.get(sku) !== undefined ? skus.get(sku) : undefined
  })

  const issues: Array<string> = []
  match((variant, index) => {
    const options = optionsOf(variant)
    const candidates = options === undefined ? [] : [...left].filter((known) => hasOptions(known, options))
    if (candidates.length > 1) {
      const values = Object.values(options ?? {}).join(" / ")
      issues.push(
        `variants.${index}: ${values} names ${candidates.length} variants; give the values of their other options`
      )
    }
    return candidates.length === 1 ? candidates[0] : undefined
  })
  if (issues.length > 0) return Result.fail(issues)

  const isAnonymous = (variant: VariantInput) => optionsOf(variant) === undefined && skuOf(variant) === undefined
  match((variant) =>
    isAnonymous(variant) && isText(variant.title) && variant.title !== ""
      ? [...left].find(({ title }) => title === variant.title)
      : undefined
  )
  match((variant, index) => {
    const there = known[index]
    return isAnonymous(variant) && !variant.title && there && isAnonymous(there) && !there.title ? there : undefined
  })
  return Result.succeed(imported.map((_, index) => matches.get(index)))
}

/** Sets and clears members of a variant, which is new if there is no stored one. */
const applyPatch = (before: Variant | undefined, { clear, set }: VariantPatch, at: Date): Variant => {
  const after = { ...before, ...set, id: before?.id ?? uuidV7(at.getTime()) }
  // A row with some of the options of a variant keeps the others.
  const named = optionsOf(set)
  if (before?.options && named && hasOptions(before, named)) after.options = before.options
  for (const member of clear) Reflect.deleteProperty(after, member)
  return after
}

/** Options of a merge into the stored product. */
export interface MergeOptions {
  /** If true, variants that the row does not name are removed. Otherwise they stay. */
  readonly replaceVariants: boolean
  readonly at: Date
}

/** Variants after an import. */
export interface MergedVariants {
  readonly variants: Product["variants"]
  /** Variants of the row, in its order. */
  readonly imported: Product["variants"]
  /** Variants that the row does not name. */
  readonly remaining: Product["variants"]
}

/**
 * Merges the variants of a row into the stored ones. A row that names all of them also sets their order; otherwise they
 * keep their order and new ones follow. `complete` builds the patch of a variant from its stored state.
 */
export const mergeVariants = <V extends { readonly set: VariantInput }>(
  known: Product["variants"],
  imported: ReadonlyArray<V>,
  complete: (variant: V, before: Variant | undefined) => VariantPatch,
  { at, replaceVariants }: MergeOptions
): Result.Result<MergedVariants, ReadonlyArray<string>> =>
  Result.map(
    matchVariants(
      known,
      imported.map(({ set }) => set)
    ),
    (matches) => {
      const merged = imported.map((variant, index) => {
        const before = matches[index]
        return applyPatch(before, complete(variant, before), at)
      })
      const byId = new Map(merged.map((variant) => [variant.id, variant]))
      const remaining = replaceVariants ? [] : known.filter(({ id }) => !byId.has(id))
      if (remaining.length === 0) return { variants: merged, imported: merged, remaining }
      const isKnown = new Set(known.map(({ id }) => id))
      const variants = [
        ...known.map((variant) => byId.get(variant.id) ?? variant),
        ...merged.filter(({ id }) => !isKnown.has(id))
      ]
      return { variants, imported: merged, remaining }
    }
  )

/** Merges two lists in the order of the stored one, unless the imported list has all of its needed items. */
const mergeOrder = (
  stored: ReadonlyArray<string>,
  imported: ReadonlyArray<string>,
  needed: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const all = new Set([...imported, ...needed])
  if (all.size === new Set(imported).size) return imported
  return [...new Set([...stored.filter((item) => all.has(item)), ...all])]
}

/** Adds the options of the remaining variants to the imported ones. */
export const mergeOptions = (
  stored: ProductOptions,
  imported: ProductOptions,
  remaining: Product["variants"]
): ProductOptions => {
  const storedByName = new Map(stored.map((option) => [option.name, option]))
  const importedByName = new Map(imported.map((option) => [option.name, option]))
  const remainingValues = new Map<string, Set<string>>()
  for (const { options = {} } of remaining) {
    for (const [name, value] of Object.entries(options)) {
      remainingValues.set(name, (remainingValues.get(name) ?? new Set()).add(value))
    }
  }
  const names = mergeOrder([...storedByName.keys()], [...importedByName.keys()], [...remainingValues.keys()])
  return names.map((name) => {
    const [before, after] = [storedByName.get(name), importedByName.get(name)]
    const values = mergeOrder(before?.values ?? [], after?.values ?? [], [...(remainingValues.get(name) ?? [])])
    return { ...before, ...after, name, values }
  })
}
