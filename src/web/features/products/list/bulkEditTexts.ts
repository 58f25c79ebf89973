import { plural, select, t } from "@lingui/core/macro"
import { number } from "../../../shared/data/format.ts"

/** Texts of bulk edits. */
export const bulkEditTexts = {
  invalid: t`is not valid`,
  activate: t`Set as active`,
  deactivate: t`Set as inactive`,
  price: {
    set: t`Set price`,
    setLabel: t`New price`,
    add: t`Increase or decrease price`,
    addHint: t`A minus sign decreases the price.`,
    percent: t`Change price by percent`,
    percentHint: t`-10 makes 100 to 90.`
  },
  salePrice: {
    set: t`Set sale price`,
    setLabel: t`New sale price`,
    add: t`Increase or decrease sale price`,
    addHint: t`A product without a sale price starts from its price.`,
    percent: t`Change sale price by percent`,
    percentHint: t`-10 makes 100 to 90. A product without a sale price starts from its price.`
  },
  removeSalePrice: t`Remove sale price`,
  amount: t`Amount`,
  percent: t`Percent`,
  rounding: t`Rounding`,
  noRounding: t`No rounding`,
  roundTo: (step: number) => t`To ${number(step)}`,
  setStock: t`Set stock`,
  newStock: t`New stock`,
  addToCollection: t`Add to collection`,
  removeFromCollection: t`Remove from collection`,
  collection: t`Collection`,
  collectionHint: t`Only collections whose products are chosen by hand. Rules choose those of automated collections.`,
  chooseCollection: t`Choose a collection`,
  missingCollection: t`Choose a collection`,
  searchCollections: t`Search collections`,
  noCollections: t`No collection found. Create one without rules on the Collections page.`,
  newPriceHint: t`In the currency of each product.`,
  adjustStock: t`Adjust stock`,
  addTag: t`Add tag`,
  tag: t`Tag`,
  missingTag: t`Enter a tag`,
  clearHint: t`Leave it empty to remove the value.`,
  removeTag: t`Remove tag`,
  setVendor: t`Set vendor`,
  setCategory: t`Set category`,
  setProductType: t`Set product type`,
  delete: t`Delete`,
  action: t`Action`,
  deleteAdvice: t`Deleted products are also removed from their collections. You can restore them from Activity.`,
  onlyFirst: (limit: number) =>
    t`A search selects at most ${plural(limit, { one: "# product", other: "# products" })}. To edit more, use filters instead of the search.`,
  tooMany: (limit: number) =>
    t`Select at most ${plural(limit, { one: "# product", other: "# products" })} for one edit.`,
  title: (products: number | undefined) =>
    products === undefined
      ? t`Edit all matching products`
      : t`Edit ${plural(products, { one: "# product", other: "# products" })}`,
  editing: t`Editing products`,
  submit: t`Preview changes`,
  previewing: (done: number, rows: number, noun: "product" | "collection") =>
    t`${number(done)} of ${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} checked`,
  apply: (isDeletion: boolean, rows: number, noun: "product" | "collection") =>
    isDeletion
      ? t`Delete ${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })}`
      : t`Apply to ${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })}`,
  cancel: t`Cancel`,
  stopping: t`Stopping after the current batch.`,
  running: (done: number, rows: number, noun: "product" | "collection") =>
    t`${number(done)} of ${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} done`,
  stopped: (done: number, refused: number, left: number) =>
    t`Stopped: ${number(done)} done, ${number(refused)} refused, ${number(left)} not started.`,
  notApplied: t`Nothing was changed.`,
  doneWithRefusals: (done: number, refused: number) => t`${number(done)} done, ${number(refused)} refused.`,
  progress: t`Progress`,
  refusedProducts: t`Refused products`,
  stop: t`Stop editing`,
  background: t`Continue in background`,
  close: t`Close`,
  closeWithRefusals: t`Close and keep unfinished products selected`,
  changed: (rows: number, noun: "product" | "collection") =>
    t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} edited`,
  undo: t`Undo`,
  view: t`View`,
  undone: (rows: number, noun: "product" | "collection", refused: number) =>
    refused === 0
      ? t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} restored`
      : t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} restored, ${number(refused)} refused because others changed them`,
  undoFailed: (advice: string) => t`The edit was not undone. ${advice}`
} as const
