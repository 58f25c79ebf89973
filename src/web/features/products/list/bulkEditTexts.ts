import { count, number } from "../../../shared/data/format.ts"

/** Texts of bulk edits. */
export const bulkEditTexts = {
  invalid: "is not valid",
  activate: "Set as active",
  deactivate: "Set as inactive",
  price: {
    set: "Set price",
    setLabel: "New price",
    add: "Increase or decrease price",
    addHint: "A minus sign decreases the price.",
    percent: "Change price by percent",
    percentHint: "-10 makes 100 to 90."
  },
  salePrice: {
    set: "Set sale price",
    setLabel: "New sale price",
    add: "Increase or decrease sale price",
    addHint: "A product without a sale price starts from its price.",
    percent: "Change sale price by percent",
    percentHint: "-10 makes 100 to 90. A product without a sale price starts from its price."
  },
  removeSalePrice: "Remove sale price",
  amount: "Amount",
  percent: "Percent",
  rounding: "Rounding",
  noRounding: "No rounding",
  roundTo: (step: number) => `To ${number(step)}`,
  setStock: "Set stock",
  newStock: "New stock",
  addToCollection: "Add to collection",
  removeFromCollection: "Remove from collection",
  collection: "Collection",
  collectionHint: "Only collections whose products are chosen by hand. Rules choose those of automated collections.",
  chooseCollection: "Choose a collection",
  missingCollection: "Choose a collection",
  searchCollections: "Search collections",
  noCollections: "No collection found. Create one without rules on the Collections page.",
  newPriceHint: "In the currency of each product.",
  adjustStock: "Adjust stock",
  addTag: "Add tag",
  tag: "Tag",
  missingTag: "Enter a tag",
  clearHint: "Leave it empty to remove the value.",
  removeTag: "Remove tag",
  setVendor: "Set vendor",
  setCategory: "Set category",
  setProductType: "Set product type",
  delete: "Delete",
  action: "Action",
  deleteAdvice: "Deleted products are also removed from their collections. You can restore them from Activity.",
  onlyFirst: (limit: number) =>
    `A search selects at most ${count(limit, "product")}. To edit more, use filters instead of the search.`,
  tooMany: (limit: number) => `Select at most ${count(limit, "product")} for one edit.`,
  title: (products: number | undefined) =>
    products === undefined ? "Edit all matching products" : `Edit ${count(products, "product")}`,
  editing: "Editing products",
  submit: "Preview changes",
  previewing: (done: number, rows: number, noun: string) => `${number(done)} of ${count(rows, noun)} checked`,
  apply: (isDeletion: boolean, rows: number, noun: string) =>
    isDeletion ? `Delete ${count(rows, noun)}` : `Apply to ${count(rows, noun)}`,
  cancel: "Cancel",
  stopping: "Stopping after the current batch.",
  running: (done: number, rows: number, noun: string) => `${number(done)} of ${count(rows, noun)} done`,
  stopped: (done: number, refused: number, left: number) =>
    `Stopped: ${number(done)} done, ${number(refused)} refused, ${number(left)} not started.`,
  notApplied: "Nothing was changed.",
  doneWithRefusals: (done: number, refused: number) => `${number(done)} done, ${number(refused)} refused.`,
  progress: "Progress",
  refusedProducts: "Refused products",
  stop: "Stop editing",
  background: "Continue in background",
  close: "Close",
  closeWithRefusals: "Close and keep unfinished products selected",
  changed: (rows: number, noun: string) => `${count(rows, noun)} edited`,
  undo: "Undo",
  view: "View",
  undone: (rows: number, noun: string, refused: number) =>
    refused === 0
      ? `${count(rows, noun)} restored`
      : `${count(rows, noun)} restored, ${number(refused)} refused because others changed them`,
  undoFailed: (advice: string) => `The edit was not undone. ${advice}`
} as const
