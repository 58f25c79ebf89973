import { plural, select, t } from "@lingui/core/macro"
import { countOf, number } from "../../../shared/data/format.ts"

/** Texts of the product list and of bulk edits. */
export const productListTexts = {
  list: {
    search: t`Search`,
    searchPlaceholder: t`Name, SKU, vendor, tag`,
    status: t`Status`,
    stock: t`Stock`,
    anyStatus: t`Any status`,
    untracked: t`Not tracked`,
    stocks: {
      any: t`Any stock`,
      none: t`Out of stock`,
      low: (quantity: number) => t`Low stock (${number(quantity)} or fewer)`,
      some: t`In stock`
    },
    custom: t`Other filters`,
    filters: t`Filters`,
    addFilter: t`Add filter`,
    applyFilters: t`Apply filters`,
    clearFilters: t`Clear filters`,
    or: t`or`,
    removeFilter: (filter: string) => t`Remove filter: ${filter}`,
    editColumns: t`Edit columns`,
    loading: t`Loading`,
    editSelected: t`Edit selected products`,
    clearSelection: t`Clear selection`,
    noMatches: t`No products found`,
    noMatchesAdvice: t`Try a shorter search or remove a filter.`,
    empty: t`No products yet`,
    emptyAdvice: t`Products that you sell in this store appear here.`,
    columnsToShow: t`Columns to show`,
    columnsHint: t`Saved for this store in this browser.`,
    viewColumnsHint: t`Update the view to keep these columns.`,
    selected: (products: number | undefined) =>
      products === undefined ? t`All matching products selected` : t`${number(products)} selected`,
    selectMatching: (products: number | undefined, isFiltered: boolean, isCut: boolean) => {
      if (products === undefined) return t`Select all matching products`
      if (isFiltered)
        return isCut
          ? t`Select the first ${plural(products, { one: "# matching product", other: "# matching products" })}`
          : t`Select all ${plural(products, { one: "# matching product", other: "# matching products" })}`
      return isCut
        ? t`Select the first ${plural(products, { one: "# product", other: "# products" })}`
        : t`Select all ${plural(products, { one: "# product", other: "# products" })}`
    },
    showNew: t`Show new products`,
    count: countOf({
      total: (total) => plural(total, { one: "# product", other: "# products" }),
      moreThan: (total) => t`More than ${plural(total, { one: "# product", other: "# products" })}`,
      of: (matches, total) => t`${matches} of ${plural(total, { one: "# product", other: "# products" })}`,
      ofMoreThan: (matches, total) =>
        t`${matches} of more than ${plural(total, { one: "# product", other: "# products" })}`
    }),
    select: t`Select`,
    selectAll: t`Select all loaded products`,
    selectProduct: (product: string) => t`Select ${product}`,
    updated: t`Updated`,
    created: t`Created`,
    product: t`Product`,
    left: (stock: string) => t`${stock} left`
  },
  views: {
    title: t`Views`,
    all: t`All products`,
    save: t`Save as view`,
    update: t`Update view`,
    content: t`The view keeps the filters, sort order and columns that the list shows now.`,
    delete: t`Delete view`,
    deleted: t`View deleted`,
    saved: (view: string) => t`${view} saved`,
    name: t`Name`,
    share: t`Share with all members`,
    shareHint: t`All members can see, change and delete a shared view.`,
    missingName: t`Enter a name`,
    createCollection: t`Create collection`,
    collectionTitle: t`Title`
  },
  bulk: {
    invalid: t`is not valid`,
    activate: t`Set as active`,
    deactivate: t`Set as inactive`,
    price: {
      set: t`Set price`,
      setLabel: t`New price`,
      add: t`Increase or decrease price`,
      addHint: t`A minus sign decreases the price.`,
      percent: t`Change price by percent`,
      percentHint: t`-10 lowers a price of 100 to 90.`
    },
    salePrice: {
      set: t`Set sale price`,
      setLabel: t`New sale price`,
      add: t`Increase or decrease sale price`,
      addHint: t`A product without a sale price starts from its price.`,
      percent: t`Change sale price by percent`,
      percentHint: t`-10 lowers a sale price of 100 to 90. A product without a sale price starts from its price.`
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
    newPriceIn: (currency: string) => t`In ${currency}.`,
    variants: t`Also change variants`,
    variantsHint: t`Variants without their own price use the price of their product.`,
    stockHint: t`Changes each variant of products with variants.`,
    samples: {
      title: t`Examples`,
      product: t`Product`,
      before: t`Before`,
      after: t`After`,
      change: t`Change`
    },
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
    started: (rows: number, noun: "product" | "collection") =>
      t`Editing ${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })}…`,
    changed: (rows: number, noun: "product" | "collection", refused: number) =>
      refused === 0
        ? t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} edited`
        : t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} edited, ${number(refused)} refused`,
    failed: (advice: string) => t`The edit did not finish. ${advice}`,
    undo: t`Undo`,
    view: t`View`,
    undone: (rows: number, noun: "product" | "collection", refused: number) =>
      refused === 0
        ? t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} restored`
        : t`${select(noun, { collection: plural(rows, { one: "# collection", other: "# collections" }), other: plural(rows, { one: "# product", other: "# products" }) })} restored, ${number(refused)} refused because others changed them`,
    undoFailed: (advice: string) => t`The edit was not undone. ${advice}`
  }
} as const
