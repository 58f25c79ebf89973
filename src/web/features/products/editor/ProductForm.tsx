import type { ReactNode } from "react"
import { Link } from "@tanstack/react-router"
import { CheckField, Columns, Fieldset, NumberField, TextField } from "../../../shared/ui/form/Field.tsx"
import { ListField } from "../../../shared/ui/form/ListField.tsx"
import { Card, Stack } from "../../../shared/ui/layout/Page.tsx"
import { type FormState, LineField, LinesField, problemIn, ProductKindField } from "./formFields.tsx"
import css from "./Editor.module.css"
import { FaqsCard } from "./FaqsCard.tsx"
import { MediaCard } from "./MediaCard.tsx"
import { OptionsCard } from "./OptionsCard.tsx"
import { SeoCard } from "./SeoCard.tsx"
import { VariantsCard } from "./VariantsCard.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { productTexts } from "../productTexts.ts"

interface ProductFormProps {
  readonly editing: FormState
  /** ISO 4217 code. */
  readonly currency: string
  /** Stock input of a new product, or the stock with an update button. */
  readonly stock: ReactNode
  /** Stock buttons of existing variants, by variant id. */
  readonly variantStock: ReadonlyMap<string, ReactNode>
}

const DIMENSIONS = [
  ["length", productTexts.form.dimensions.length, NumberField],
  ["width", productTexts.form.dimensions.width, NumberField],
  ["height", productTexts.form.dimensions.height, NumberField],
  ["unit", productTexts.form.dimensions.unit, TextField]
] as const

const Dimensions = ({ draft: { dimensions }, edit, problems }: FormState) => (
  <Fieldset legend={productTexts.fields.dimensions}>
    <Columns>
      {DIMENSIONS.map(([name, label, Control]) => (
        <Control
          key={name}
          label={label}
          value={dimensions[name]}
          problem={problems.get(`dimensions.${name}`)}
          onChange={({ target }) => edit({ dimensions: { ...dimensions, [name]: target.value } })}
        />
      ))}
    </Columns>
  </Fieldset>
)

/** All fields of a product (contract, section 2.1), most used first. */
export const ProductForm = ({ currency, editing, stock, variantStock }: ProductFormProps) => {
  const { draft, edit, problems } = editing
  return (
    <div className={css["form"]}>
      <Stack>
        <Card>
          <LineField editing={editing} field="name" />
          <LinesField editing={editing} field="description" rows={6} hint={productTexts.form.descriptionHint} />
        </Card>
        <MediaCard editing={editing} />
        <Card title={productTexts.fields.price}>
          <Columns>
            <LineField editing={editing} field="price" isNumber hint={currency} />
            <LineField
              editing={editing}
              field="discountedPrice"
              isNumber
              hint={productTexts.form.salePriceHint(currency)}
            />
            <LineField editing={editing} field="costPrice" isNumber hint={productTexts.form.costHint(currency)} />
            <LineField
              editing={editing}
              field="currencyCode"
              placeholder={currency}
              hint={productTexts.form.currencyHint}
            />
          </Columns>
          <CheckField
            label={productTexts.fields.onSale}
            hint={productTexts.form.onSaleHint}
            checked={draft.onSale}
            onChange={({ target }) => edit({ onSale: target.checked })}
          />
          <CheckField
            label={productTexts.fields.taxable}
            checked={draft.taxable}
            onChange={({ target }) => edit({ taxable: target.checked })}
          />
        </Card>
        <Card title={productTexts.fields.stock}>
          {stock}
          <Columns>
            <LineField editing={editing} field="sku" hint={productTexts.form.skuHint} />
            <LineField editing={editing} field="barcode" hint={productTexts.form.barcodeHint} />
          </Columns>
          <CheckField
            label={productTexts.fields.trackInventory}
            checked={draft.trackInventory}
            onChange={({ target }) => edit({ trackInventory: target.checked })}
          />
        </Card>
        <OptionsCard editing={editing} />
        <VariantsCard editing={editing} stock={variantStock} />
        <SeoCard editing={editing} />
        <FaqsCard editing={editing} />
        <Card title={productTexts.form.shipping}>
          <Columns>
            <LineField editing={editing} field="weight" isNumber hint={productTexts.form.weightHint} />
            <ProductKindField {...editing} />
            <LineField editing={editing} field="countryOfOrigin" />
            <LineField editing={editing} field="hsCode" hint={productTexts.form.hsCodeHint} />
          </Columns>
          <Dimensions {...editing} />
        </Card>
        <Card title={productTexts.form.customData}>
          <LinesField
            editing={editing}
            field="metafields"
            rows={6}
            spellCheck={false}
            hint={productTexts.form.jsonHint}
          />
          <LinesField
            editing={editing}
            field="customFields"
            rows={6}
            spellCheck={false}
            hint={productTexts.form.jsonHint}
          />
        </Card>
      </Stack>
      <Stack>
        <Card title={productTexts.list.status}>
          <CheckField
            label={productTexts.fields.isActive}
            hint={productTexts.form.activeHint}
            checked={draft.isActive}
            onChange={({ target }) => edit({ isActive: target.checked })}
          />
        </Card>
        <Card title={productTexts.form.organization}>
          <LineField editing={editing} field="vendorName" />
          <LineField editing={editing} field="productType" />
          <LineField editing={editing} field="category" />
          <ListField
            label={productTexts.fields.tags}
            itemName={productTexts.form.tagItem}
            hint={productTexts.form.tagsHint}
            separator=","
            values={draft.tags}
            problem={problemIn(problems, "tags")}
            change={(tags) => edit({ tags })}
          />
          <LineField editing={editing} field="categoryId" hint={productTexts.form.categoryIdHint} />
          <LineField editing={editing} field="categoryName" />
        </Card>
      </Stack>
    </div>
  )
}

export const BackToProducts = () => {
  const storeId = useStoreId()
  return (
    <Link to="/dashboard/$storeId/products" params={{ storeId }}>
      {productTexts.form.backToProducts}
    </Link>
  )
}
