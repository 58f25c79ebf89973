import type { ReactNode } from "react"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { CellField, NumberCell } from "../../../shared/ui/form/Field.tsx"
import { type VirtualColumn, VirtualTable } from "../../../shared/ui/display/VirtualTable.tsx"
import { MutedText, Row } from "../../../shared/ui/layout/Page.tsx"
import css from "./Editor.module.css"
import { missingVariants, newVariant, VARIANT_AMOUNTS, VARIANT_TEXTS, type VariantDraft } from "./productDraft.ts"
import type { FormState } from "./productFields.ts"
import { removeItem, updateItem } from "./ItemLists.tsx"
import { productTexts } from "../productTexts.ts"

const variantLabels = {
  title: productTexts.variants.title,
  sku: productTexts.fields.sku,
  barcode: productTexts.fields.barcode,
  price: productTexts.fields.price,
  discountedPrice: productTexts.fields.discountedPrice,
  costPrice: productTexts.fields.costPrice,
  stock: productTexts.fields.stock
}

const labelOf = (field: string) => Object.entries(variantLabels).find(([name]) => name === field)?.[1] ?? field

/** Validation messages above the grid. The next ones follow once these are corrected. */
const MAX_PROBLEMS = 5

const problemLocation = (path: string) => {
  const [, row = "", field = ""] = path.split(".")
  return productTexts.variants.location(Number(row) + 1, labelOf(field))
}

const removeColumn = (remove: (key: string) => void): VirtualColumn<VariantDraft> => ({
  name: productTexts.variants.remove,
  width: 110,
  cell: ({ key }, index) => (
    <Button kind="quiet" aria-label={productTexts.variants.removeVariant(index + 1)} onClick={() => remove(key)}>
      {productTexts.variants.remove}
    </Button>
  )
})

interface VariantsCardProps {
  readonly editing: FormState
  /** Stock buttons of existing variants. */
  readonly stock: ReadonlyMap<string, ReactNode>
}

/** Variants as an editable grid. */
export const VariantsCard = ({ editing: { draft, edit, problems }, stock }: VariantsCardProps) => {
  const { options, variants } = draft
  const missing = missingVariants(options, variants)
  const change = (key: string, members: Partial<VariantDraft>) => edit({ variants: updateItem(variants, key, members) })
  const cell = (
    Control: typeof CellField,
    label: string,
    index: number,
    path: string,
    value: string,
    set: (value: string) => void
  ) => (
    <Control
      label={productTexts.variants.cell(label, index + 1)}
      problem={problems.get(`variants.${index}.${path}`)}
      value={value}
      onChange={({ target }) => set(target.value)}
    />
  )
  const lineColumn = (Control: typeof CellField, field: keyof typeof variantLabels) => ({
    name: variantLabels[field],
    width: 130,
    cell: (variant: VariantDraft, index: number) =>
      cell(Control, variantLabels[field], index, field, variant[field], (value) =>
        change(variant.key, { [field]: value })
      )
  })
  const stockInput = lineColumn(NumberCell, "stock")
  const stockColumn = {
    ...stockInput,
    width: 110,
    cell: (variant: VariantDraft, index: number) => stock.get(variant.key) ?? stockInput.cell(variant, index)
  }
  const columns: ReadonlyArray<VirtualColumn<VariantDraft>> = [
    ...options.map(({ key, name }) => ({
      name: name || productTexts.variants.newOption,
      width: 130,
      cell: (variant: VariantDraft, index: number) =>
        cell(
          CellField,
          name || productTexts.variants.newOption,
          index,
          `options.${name}`,
          variant.choices[key] ?? "",
          (value) => change(variant.key, { choices: { ...variant.choices, [key]: value } })
        )
    })),
    ...VARIANT_TEXTS.map((field) => lineColumn(CellField, field)),
    ...VARIANT_AMOUNTS.map((field) => lineColumn(NumberCell, field)),
    ...(draft.trackInventory ? [stockColumn] : []),
    removeColumn((key) => edit({ variants: removeItem(variants, key) }))
  ]
  const variantProblems = [...problems].filter(([path]) => path === "variants" || path.startsWith("variants."))
  return (
    <div className={css["items"]}>
      <h3>{productTexts.fields.variants}</h3>
      {variantProblems.length === 0 ? undefined : (
        <ul className={css["problems"]} role="alert">
          {variantProblems.slice(0, MAX_PROBLEMS).map(([path, problem]) => (
            <li key={path}>{path === "variants" ? problem : `${problemLocation(path)}: ${problem}`}</li>
          ))}
        </ul>
      )}
      {variants.length === 0 ? (
        <MutedText>{productTexts.variants.empty}</MutedText>
      ) : (
        <div className={css["grid"]}>
          <VirtualTable
            caption={productTexts.fields.variants}
            columns={columns}
            rows={variants}
            keyOf={({ key }) => key}
            rowHeight={52}
          />
        </div>
      )}
      <Row>
        <Button onClick={() => edit({ variants: [...variants, newVariant()] })}>{productTexts.variants.add}</Button>
        {missing.length === 0 ? undefined : (
          <Button onClick={() => edit({ variants: [...variants, ...missing] })}>
            {productTexts.variants.addMissing(missing.length)}
          </Button>
        )}
      </Row>
    </div>
  )
}
