import type { ReactNode } from "react"
import { Link } from "@tanstack/react-router"
import { CheckField, Columns, Fieldset, TextField } from "../../../ui/form/Field.tsx"
import { ListField } from "../../../ui/form/ListField.tsx"
import { Card, Stack } from "../../../ui/layout/Page.tsx"
import { type FormState, LineField, LinesField, problemIn } from "./formFields.tsx"
import css from "./Editor.module.css"
import { FaqsCard } from "./FaqsCard.tsx"
import { fieldLabels } from "./fieldLabels.ts"
import { MediaCard } from "./MediaCard.tsx"
import { OptionsCard } from "./OptionsCard.tsx"
import { SeoCard } from "./SeoCard.tsx"
import { VariantsCard } from "./VariantsCard.tsx"
import { useStoreId } from "../../store.ts"

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
  ["length", "Length"],
  ["width", "Width"],
  ["height", "Height"],
  ["unit", "Unit"]
] as const

const Dimensions = ({ draft: { dimensions }, edit, problems }: FormState) => (
  <Fieldset legend={fieldLabels.dimensions}>
    <Columns>
      {DIMENSIONS.map(([name, label]) => (
        <TextField
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
          <LinesField editing={editing} field="description" rows={6} hint="Text or HTML, saved as entered." />
        </Card>
        <MediaCard editing={editing} />
        <Card title="Price">
          <Columns>
            <LineField editing={editing} field="price" isNumber hint={currency} />
            <LineField editing={editing} field="discountedPrice" isNumber hint={`${currency}, charged while on sale`} />
            <LineField editing={editing} field="costPrice" isNumber hint={`${currency}, your cost per item`} />
            <LineField
              editing={editing}
              field="currencyCode"
              placeholder={currency}
              hint="ISO 4217 code, such as EUR"
            />
          </Columns>
          <CheckField
            label={fieldLabels.onSale}
            hint="Sell at the sale price."
            checked={draft.onSale}
            onChange={({ target }) => edit({ onSale: target.checked })}
          />
          <CheckField
            label={fieldLabels.taxable}
            checked={draft.taxable}
            onChange={({ target }) => edit({ taxable: target.checked })}
          />
        </Card>
        <Card title="Stock">
          {stock}
          <Columns>
            <LineField editing={editing} field="sku" hint="Stock keeping unit" />
            <LineField editing={editing} field="barcode" hint="GTIN, EAN, UPC or ISBN" />
          </Columns>
          <CheckField
            label={fieldLabels.trackInventory}
            checked={draft.trackInventory}
            onChange={({ target }) => edit({ trackInventory: target.checked })}
          />
        </Card>
        <OptionsCard editing={editing} />
        <VariantsCard editing={editing} stock={variantStock} />
        <SeoCard editing={editing} />
        <FaqsCard editing={editing} />
        <Card title="Shipping and customs">
          <Columns>
            <LineField editing={editing} field="weight" isNumber hint="In the weight unit of the store" />
            <LineField editing={editing} field="productKind" hint="Such as physical or digital" />
            <LineField editing={editing} field="countryOfOrigin" />
            <LineField editing={editing} field="hsCode" hint="Harmonized System code" />
          </Columns>
          <Dimensions {...editing} />
        </Card>
        <Card title="Custom data">
          <LinesField
            editing={editing}
            field="metafields"
            rows={6}
            spellCheck={false}
            hint="JSON object or array of objects."
          />
          <LinesField
            editing={editing}
            field="customFields"
            rows={6}
            spellCheck={false}
            hint="JSON object or array of objects."
          />
        </Card>
      </Stack>
      <Stack>
        <Card title="Status">
          <CheckField
            label={fieldLabels.isActive}
            hint="Visible to shoppers."
            checked={draft.isActive}
            onChange={({ target }) => edit({ isActive: target.checked })}
          />
        </Card>
        <Card title="Organization">
          <LineField editing={editing} field="vendorName" />
          <LineField editing={editing} field="productType" />
          <LineField editing={editing} field="category" />
          <ListField
            label={fieldLabels.tags}
            itemName="tag"
            values={draft.tags}
            problem={problemIn(problems, "tags")}
            change={(tags) => edit({ tags })}
          />
          <LineField editing={editing} field="categoryId" hint="ID in a product taxonomy" />
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
      ← Products
    </Link>
  )
}
