import { count, countOf, number } from "../../shared/data/format.ts"

/** Texts of the product list and the product editor. */
export const productTexts = {
  fields: {
    name: "Name",
    slug: "Slug",
    price: "Price",
    discountedPrice: "Sale price",
    costPrice: "Cost",
    stock: "Stock",
    currencyCode: "Currency",
    isActive: "Active",
    onSale: "On sale",
    taxable: "Charge tax",
    trackInventory: "Track stock",
    description: "Description",
    vendorName: "Vendor",
    category: "Category",
    categoryId: "Category ID",
    categoryName: "Category name",
    productType: "Product type",
    productKind: "Product kind",
    sku: "SKU",
    barcode: "Barcode",
    imageUrl: "Main image URL",
    tags: "Tags",
    media: "Media",
    options: "Options",
    variants: "Variants",
    faqs: "Questions and answers",
    metafields: "Metafields",
    customFields: "Custom fields",
    weight: "Weight",
    dimensions: "Dimensions",
    countryOfOrigin: "Country of origin",
    hsCode: "HS code",
    seoTitle: "SEO title",
    seoDescription: "SEO description",
    metaDescription: "Meta description"
  },
  list: {
    title: "Products",
    search: "Search",
    searchPlaceholder: "Name, SKU, vendor, tag",
    status: "Status",
    stock: "Stock",
    statuses: {
      any: "Any status",
      active: "Active",
      inactive: "Inactive"
    },
    untracked: "Not tracked",
    stocks: {
      any: "Any stock",
      none: "Out of stock",
      low: (quantity: number) => `Low stock (${number(quantity)} or fewer)`,
      some: "In stock"
    },
    custom: "Other filters",
    filters: "Filters",
    addFilter: "Add filter",
    applyFilters: "Apply filters",
    clearFilters: "Clear filters",
    or: "or",
    removeFilter: (filter: string) => `Remove filter: ${filter}`,
    editColumns: "Edit columns",
    loading: "Loading",
    editSelected: "Edit selected products",
    clearSelection: "Clear selection",
    noMatches: "No products found",
    noMatchesAdvice: "Try a shorter search or remove a filter.",
    empty: "No products yet",
    emptyAdvice: "Products that you sell in this store appear here.",
    columnsToShow: "Columns to show",
    columnsHint: "Saved for this store in this browser.",
    viewColumnsHint: "Update the view to keep these columns.",
    selected: (products: number | undefined) =>
      products === undefined ? "All matching products selected" : `${number(products)} selected`,
    selectMatching: (products: number | undefined, isFiltered: boolean, isCut: boolean) => {
      if (products === undefined) return "Select all matching products"
      const kind = isFiltered ? "matching product" : "product"
      return `Select ${isCut ? "the first" : "all"} ${count(products, kind)}`
    },
    showNew: "Show new products",
    count: (matches: number | null, all?: number) => countOf(matches, all, "product"),
    select: "Select",
    selectAll: "Select all loaded products",
    selectProduct: (product: string) => `Select ${product}`,
    updated: "Updated",
    created: "Created",
    product: "Product",
    left: (stock: string) => `${stock} left`
  },
  views: {
    title: "Views",
    all: "All products",
    save: "Save as view",
    update: "Update view",
    content: "The view keeps the filters, sort order and columns that the list shows now.",
    delete: "Delete view",
    deleted: "View deleted",
    saved: (view: string) => `${view} saved`,
    name: "Name",
    share: "Share with all members",
    shareHint: "All members can see, change and delete a shared view.",
    missingName: "Enter a name",
    createCollection: "Create collection",
    collectionTitle: "Title"
  },
  cards: {
    pricing: "Pricing",
    inventory: "Inventory",
    variants: "Options and variants",
    seo: "Search engine listing",
    faqs: "Questions and answers",
    shipping: "Shipping and customs",
    advanced: "Advanced",
    status: "Status",
    organization: "Organization"
  },
  addToCard: {
    variants: "Add option",
    seo: "Edit listing",
    faqs: "Add question",
    shipping: "Add shipping details",
    advanced: "Add custom data",
    organization: "Add vendor or tags"
  },
  create: {
    copySuffix: " copy",
    created: (product: string) => `${product} created`,
    title: "Create product",
    correctFields: "Correct the marked fields",
    unsavedProduct: "Unsaved product",
    unsaved: "This product is not created yet. Your entries will be lost."
  },
  editor: {
    fallbackTitle: "Product",
    deleted: (product: string) => `${product} deleted`,
    updateVariantStock: (variant: number, stock: string) => `Update stock of variant ${number(variant)}: ${stock}`,
    delete: "Delete product",
    duplicate: "Duplicate product",
    wasDeleted: "This product was deleted",
    wasDeletedAdvice: "You see its last version. You can restore it from Activity.",
    inStock: (stock: string) => `${stock} in stock`,
    inStockOfVariants: (stock: string, variants: number) => `${stock} in stock in ${count(variants, "variant")}`,
    stockOfVariants: "Enter the stock of each variant below.",
    untracked: "Stock is not tracked",
    confirmDelete: (product: string) => `Delete ${product}?`,
    deleteAdvice: "The product is also removed from its collections. You can restore it from Activity.",
    unsaved: "Your changes to this product are not saved and will be lost.",
    conflict: "Someone else changed this product. Save to compare the versions.",
    correctFields: (fields: number) => `Correct ${count(fields, "field")}`,
    changedFields: (fields: number) => `${count(fields, "field")} changed`,
    changedByOthers: (fields: string) =>
      `Someone else changed: ${fields}. Your own changes are kept, but not saved yet.`,
    saved: "Product saved"
  },
  conflict: {
    title: "Someone else changed this product",
    advice: "You both changed these fields. Choose which version to keep. All other changes are kept.",
    save: "Save selected versions",
    continueEditing: "Continue editing"
  },
  form: {
    dimensions: {
      length: "Length",
      width: "Width",
      height: "Height",
      unit: "Unit"
    },
    salePriceHint: (currency: string) => `${currency}, charged while on sale`,
    costHint: (currency: string) => `${currency}, your cost per item`,
    onSaleHint: "Sell at the sale price.",
    skuHint: "Stock keeping unit",
    barcodeHint: "GTIN, EAN, UPC or ISBN",
    weightHint: "In the weight unit of the store",
    productKinds: {
      physical: "Physical",
      digital: "Digital",
      gift_card: "Gift card",
      service: "Service"
    },
    noDiscount: "Enter a sale price below the price, or clear it",
    hsCodeHint: "Harmonized System code",
    jsonHint: "A JSON object, or a list of objects. Write its numbers with a decimal point, such as 1.5.",
    activeHint: "Visible to shoppers.",
    tagItem: "tag",
    tagsHint: "Commas separate tags.",
    categoryIdHint: "ID in a product taxonomy",
    categoryNameHint: "Name in that taxonomy",
    notSet: "Not set",
    yes: "Yes",
    no: "No",
    cannotClear: "cannot be cleared. Enter 0, or remove the variant and add it again"
  },
  faqs: {
    question: (position: number) => `Question ${number(position)}`,
    answer: (position: number) => `Answer ${number(position)}`,
    item: (position: number) => `question ${number(position)}`,
    add: "Add question"
  },
  items: {
    moveUp: (item: string) => `Move ${item} up`,
    moveDown: (item: string) => `Move ${item} down`,
    removeItem: (item: string) => `Remove ${item}`,
    remove: "Remove"
  },
  media: {
    urlPlaceholder: "https://",
    mainImageHint: "Shown in product lists.",
    url: (position: number) => `URL of media ${number(position)}`,
    alt: "Alt text",
    altHint: "Describes it for people who cannot see it.",
    type: "Media type",
    typeHint: "Such as image or video.",
    item: (position: number) => `media ${number(position)}`,
    add: "Add media"
  },
  options: {
    advice: "Options distinguish variants, such as Size: S, M, L.",
    option: (position: number) => `Option ${number(position)}`,
    missingName: "Enter a name, such as Size, or remove the option",
    values: (option: string) => `Values of ${option}`,
    valueItem: "value",
    confirmRemove: (value: string) => `Remove ${value}?`,
    removeAdvice: (variants: number) =>
      `${count(variants, "variant has", "variants have")} this value. Their prices, codes and stock are removed with them.`,
    removeWithVariants: (variants: number) => `Remove ${count(variants, "variant")} too`,
    keepVariants: "Keep variants",
    item: (position: number) => `option ${number(position)}`,
    add: "Add option"
  },
  seo: {
    preview: "Search engine preview",
    slugPlaceholder: "created from the name",
    descriptionPlaceholder: "Add a description. Without one, search engines choose a text.",
    lengthHint: (characters: number, visible: number) =>
      `${count(characters, "character")}. Search engines show about ${number(visible)}.`,
    slugHint: "The last part of its URL: a-z, 0-9 and hyphens.",
    address: (slug: string) => `your store › products › ${slug}`
  },
  stock: {
    updated: "Stock updated",
    action: "Action",
    adjust: "Adjust by",
    set: "Set to",
    quantityToAdd: "Quantity to add",
    newQuantity: "New quantity",
    adjustHint: "Use a negative number to reduce the stock, such as -2.",
    setHint: (stock: string) => `Saved only if the stock is still ${stock}.`,
    reason: "Reason",
    reasonHint: "Shown under Activity. Optional.",
    update: "Update stock",
    current: (stock: string, variant: string | null | undefined) =>
      `${stock} in stock${variant === null || variant === undefined ? "" : ` for ${variant}`}.`
  },
  variants: {
    title: "Title",
    location: (variant: number, field: string) => `Variant ${number(variant)}${field === "" ? "" : `, ${field}`}`,
    remove: "Remove",
    removeVariant: (variant: number) => `Remove variant ${number(variant)}`,
    cell: (label: string, variant: number) => `${label} of variant ${number(variant)}`,
    newOption: "New option",
    empty: "No variants yet. Add variants if the product comes in several versions, each with its own price and stock.",
    add: "Add variant",
    fillDown: "Fill down",
    fillDownColumn: (column: string) => `Fill down ${column}`,
    pasteAdvice:
      "Paste cells of a spreadsheet to fill cells from the focused one on. Ctrl+D copies a cell to the rows below.",
    filled: (cells: number) => `${count(cells, "cell")} filled.`,
    outside: (cells: number) => `${count(cells, "cell")} left out: the table has no row or column for them.`,
    refused: (cells: number) => `${count(cells, "cell")} not changed:`,
    undo: "Undo",
    savedStock: "Use its stock button. Saved variants record each change of stock",
    group: (value: string, variants: number) => `${value || "No value"} (${number(variants)})`,
    priceRange: (low: number, high: number) => (low === high ? number(low) : `${number(low)} – ${number(high)}`),
    tooMany: (combinations: number, limit: number) =>
      `The options make ${number(combinations)} combinations, but a product has at most ${count(limit, "variant")}. ` +
      "Remove values, or sell it as several products.",
    addMissing: (variants: number) => `Add ${count(variants, "missing combination")}`
  }
} as const
