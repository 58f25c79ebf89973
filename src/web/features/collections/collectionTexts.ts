import { count, countOf, number } from "../../shared/data/format.ts"

/** Texts of the collection pages. */
export const collectionTexts = {
  fields: {
    title: "Title",
    type: "Collection type",
    description: "Description",
    imageUrl: "Image",
    isActive: "Active",
    slug: "Slug",
    seoTitle: "SEO title",
    metaDescription: "Meta description",
    disjunctive: "Rule matching",
    rules: "Rules",
    productIds: "Products"
  },
  ruleFields: {
    title: "Name",
    description: "Description",
    slug: "Slug",
    vendorName: "Vendor",
    productType: "Product type",
    productKind: "Product kind",
    category: "Category",
    categoryId: "Category ID",
    categoryName: "Category name",
    sku: "SKU",
    barcode: "Barcode",
    currencyCode: "Currency",
    countryOfOrigin: "Country of origin",
    tags: "Tag",
    price: "Price",
    discountedPrice: "Sale price",
    costPrice: "Cost",
    stock: "Stock",
    weight: "Weight",
    "variant.price": "Variant price",
    "variant.stock": "Variant stock",
    "variant.title": "Variant title",
    "variant.sku": "Variant SKU",
    "variant.barcode": "Variant barcode",
    isActive: "Active",
    onSale: "On sale",
    taxable: "Charge tax",
    trackInventory: "Track stock",
    createdAt: "Created",
    updatedAt: "Updated"
  },
  relations: {
    equals: "is",
    not_equals: "is not",
    contains: "contains",
    not_contains: "does not contain",
    starts_with: "starts with",
    ends_with: "ends with",
    in: "is one of",
    not_in: "is not one of",
    is_set: "has a value",
    is_not_set: "has no value",
    greater_than: "is more than",
    greater_or_equal: "is at least",
    less_than: "is less than",
    less_or_equal: "is at most"
  },
  /** Relations of times that have their own words. */
  timeRelations: {
    greater_than: "is after",
    greater_or_equal: "is at or after",
    less_than: "is before",
    less_or_equal: "is at or before"
  },
  values: { none: "none", yes: "yes", no: "no" },
  list: {
    title: "Collections",
    count: (matches: number | null, all?: number | null) => countOf(matches, all, "collection"),
    search: "Search",
    searchPlaceholder: "Title or slug",
    noMatches: "No collections found",
    empty: "No collections yet",
    emptyAdvice: "Group products by hand, or let rules choose them.",
    name: "Title",
    type: "Type",
    manual: "Manual",
    automated: (rules: number) => `Automated, ${count(rules, "rule")}`,
    products: "Products",
    status: "Status",
    active: "Active",
    inactive: "Inactive",
    created: "Created",
    updated: "Updated"
  },
  create: {
    title: "Create collection",
    created: (collection: string) => `${collection} created`,
    unsaved: "This collection is not created yet. Your entries will be lost."
  },
  details: {
    fallbackTitle: "Collection",
    delete: "Delete collection",
    deleted: (collection: string) => `${collection} deleted`,
    confirmDelete: (collection: string) => `Delete ${collection}?`,
    deleteAdvice: "Products in this collection are not deleted. You can restore the collection from Activity."
  },
  form: {
    details: "Details",
    descriptionHint: "Text or HTML, saved as entered.",
    types: {
      manual: "Manual: you choose the products and their order",
      automated: "Automated: rules choose the products"
    },
    status: "Status",
    activeHint: "Visible to shoppers.",
    imageUrl: "Image URL",
    imageUrlHint: "https://…",
    searchListing: "Search engine listing",
    newSlugHint: "The last part of its URL. Leave it empty to use the title.",
    slugHint: "The last part of its URL.",
    missingValue: "Enter a value",
    missingRules: "Add a rule, or choose the products yourself: set the collection type to manual",
    line: (line: string, problem: string) => `${line}: ${problem}`
  },
  editor: {
    saved: (collection: string) => `${collection} saved`,
    conflict: "Someone else saved this collection. Choose above which values to keep.",
    unsavedChanges: "Unsaved changes",
    unsaved: "Your changes to this collection are not saved and will be lost."
  },
  conflict: {
    yes: "Yes",
    no: "No",
    anyRule: "Match any rule",
    allRules: "Match all rules",
    automated: "Automated",
    products: (products: number) => `${count(products, "product")} in this order`,
    title: "Someone else saved this collection",
    otherFields: (fields: string) => `Their changes to these fields are kept: ${fields}.`,
    noOverlap: "Your changes do not overlap with theirs. Save to apply them.",
    chooseVersions: "You both changed these fields. Choose which version to keep. Nothing is saved until you save.",
    continueEditing: "Continue editing"
  },
  products: {
    product: "Product",
    move: (product: string, position: number, count: number) =>
      `Move ${product}, ${number(position)} of ${number(count)}`,
    actions: (product: string) => `Actions for ${product}`,
    moveToTop: "Move to top",
    moveUp: "Move up",
    moveDown: "Move down",
    moveToEnd: "Move to end",
    remove: "Remove",
    title: "Products",
    add: "Add a product",
    alreadyAdded: "Already added",
    limitReached: (limit: number) => `A collection can have up to ${number(limit)} products. Remove some products.`,
    empty: "No products yet. Search for products to add them.",
    list: "Products in order",
    reorderAdvice: "To reorder products, drag the handles or use the arrow keys.",
    moved: (product: string, position: number, count: number) =>
      `${product} moved to position ${number(position)} of ${number(count)}`,
    removed: (product: string) => `${product} removed`,
    added: (product: string, position: number) => `${product} added at position ${number(position)}`,
    deleted: "Deleted product",
    notLoaded: "This product could not be loaded"
  },
  matches: {
    showAll: (products: number) => `Show all ${count(products, "product")}`,
    all: "All matching products",
    title: "Matching products",
    noRules: "Add a rule to see the products that match.",
    incompleteRules: "Complete the rules to see the products that match",
    searching: "Searching…",
    count: (products: number) => `${count(products, "product")} ${products === 1 ? "matches" : "match"}`,
    check: "Check a product",
    find: "Find a product",
    empty: "No products match these rules.",
    explainProduct: (product: string) => `Explain ${product}`,
    explain: "Explain",
    first: (shown: number, products: number) => `Showing the first ${number(shown)} of ${count(products, "product")}.`
  },
  explanation: {
    label: (product: string) => `Explanation of ${product}`,
    matches: "Matches",
    noMatch: "Does not match",
    includedByAny: (product: string) => `${product} is included: it matches at least one rule.`,
    includedByAll: (product: string) => `${product} is included: it matches all rules.`,
    excludedByAny: (product: string) => `${product} is not included: it matches no rule.`,
    excludedByAll: (product: string, failing: number, rules: number) =>
      `${product} is not included: it does not match ${number(failing)} of ${count(rules, "rule")}.`,
    since: {
      product: (at: string) => `Included since ${at}, by a change of the product.`,
      collection: (at: string) => `Included since ${at}, by a change of the collection.`
    },
    changes: { product: "View changes of the product", collection: "View changes of the collection" },
    currentValue: (value: string) => `Current value: ${value}`
  },
  rules: {
    mustMatch: "Products must match",
    all: "All rules",
    any: "Any rule",
    rule: (position: number) => `Rule ${number(position)}`,
    add: "Add rule",
    field: "Field",
    condition: "Condition",
    remove: (rule: string) => `Remove ${rule}`,
    value: "Value",
    linesHint: "One value per line"
  },
  review: {
    title: "Review changes",
    save: "Save collection",
    added: (products: number) => `Added (${number(products)})`,
    addedProducts: "Added products",
    noneAdded: "No products are added.",
    removed: (products: number) => `Removed (${number(products)})`,
    removedProducts: "Removed products",
    noneRemoved: "No products are removed.",
    unchanged: (products: number) => `The collection keeps the same ${count(products, "product")}.`,
    changed: (before: number, after: number) =>
      `The collection changes from ${count(before, "product")} to ${count(after, "product")}.`,
    tabs: "Added and removed",
    notifiedApps: (apps: string) => `Notified apps: ${apps}.`
  }
} as const
