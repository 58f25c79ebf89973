import { count, number } from "../../../shared/data/format.ts"

/** Texts of bulk edits. */
export const bulkEditTexts = {
  invalid: "is not valid",
  activate: "Set as active",
  deactivate: "Set as inactive",
  setPrice: "Set price",
  newPrice: "New price",
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
  previewing: (done: number, products: number) => `${number(done)} of ${count(products, "product")} checked`,
  preview: (
    thing: "price" | "product" | "deletion",
    { changed, refused, unchanged }: { readonly changed: number; readonly unchanged: number; readonly refused: number }
  ) => {
    const isOne = changed === 1
    const verb = thing === "deletion" ? "will be deleted" : isOne ? "changes" : "change"
    const others = [
      unchanged > 0 ? [`${number(unchanged)} unchanged`] : [],
      refused > 0 ? [`${number(refused)} refused`] : []
    ]
    return [`${count(changed, thing === "price" ? "price" : "product")} ${verb}`, ...others.flat()].join(", ")
  },
  newPrices: (lowest: string, highest: string) =>
    lowest === highest ? `New price: ${lowest}` : `New prices: ${lowest} to ${highest}`,
  apply: (isDeletion: boolean, products: number) =>
    isDeletion ? `Delete ${count(products, "product")}` : `Apply to ${count(products, "product")}`,
  cancel: "Cancel",
  stopping: "Stopping after the current batch.",
  running: (done: number, products: number) => `${number(done)} of ${count(products, "product")} done`,
  stopped: (done: number, refused: number, left: number) =>
    `Stopped: ${number(done)} done, ${number(refused)} refused, ${number(left)} not started.`,
  notApplied: "No product was changed.",
  doneWithRefusals: (done: number, refused: number) => `${number(done)} done, ${number(refused)} refused.`,
  progress: "Progress",
  refusedProducts: "Refused products",
  moreRefused: (products: number) => `${count(products, "more product", "more products")} refused.`,
  stop: "Stop editing",
  close: "Close",
  closeWithRefusals: "Close and keep unfinished products selected",
  changed: (products: number) => `${count(products, "product")} edited`,
  undo: "Undo",
  undone: (products: number, refused: number) =>
    refused === 0
      ? `${count(products, "product")} restored`
      : `${count(products, "product")} restored, ${number(refused)} refused because others changed them`,
  undoFailed: (advice: string) => `The edit was not undone. ${advice}`
} as const
