import { plural, t } from "@lingui/core/macro"
import { Struct } from "effect"
import { ruledFields } from "../../../domain/catalog/ProductFieldSets.ts"
import type { RuleField } from "../../../domain/catalog/Rule.ts"
import { countOf, number } from "../../shared/data/format.ts"
import { fieldTexts } from "../../shared/fieldTexts.ts"

const { name: title, ...ruledTexts } = Struct.pick(fieldTexts, ruledFields)

/** Texts of the collection pages. */
export const collectionTexts = {
  fields: {
    title: t`Title`,
    type: t`Collection type`,
    description: t`Description`,
    imageUrl: t`Image`,
    isActive: t`Active`,
    slug: t`Slug`,
    seoTitle: t`SEO title`,
    metaDescription: t`Meta description`,
    disjunctive: t`Rule matching`,
    rules: t`Rules`,
    productIds: t`Products`
  },
  ruleFields: {
    title,
    ...ruledTexts,
    tags: t`Tag`,
    "variant.price": t`Variant price`,
    "variant.stock": t`Variant stock`,
    "variant.title": t`Variant title`,
    "variant.sku": t`Variant SKU`,
    "variant.barcode": t`Variant barcode`,
    createdAt: t`Created`,
    updatedAt: t`Updated`
  } satisfies Record<RuleField, string>,
  relations: {
    equals: t`is`,
    not_equals: t`is not`,
    contains: t`contains`,
    not_contains: t`does not contain`,
    starts_with: t`starts with`,
    ends_with: t`ends with`,
    in: t`is one of`,
    not_in: t`is not one of`,
    is_set: t`has a value`,
    is_not_set: t`has no value`,
    greater_than: t`is more than`,
    greater_or_equal: t`is at least`,
    less_than: t`is less than`,
    less_or_equal: t`is at most`
  },
  /** Relations of times that have their own words. */
  timeRelations: {
    greater_than: t`is after`,
    greater_or_equal: t`is at or after`,
    less_than: t`is before`,
    less_or_equal: t`is at or before`
  },
  values: { none: t`none`, yes: t`yes`, no: t`no` },
  list: {
    title: t`Collections`,
    count: countOf({
      total: (total) => plural(total, { one: "# collection", other: "# collections" }),
      moreThan: (total) => t`More than ${plural(total, { one: "# collection", other: "# collections" })}`,
      of: (matches, total) => t`${matches} of ${plural(total, { one: "# collection", other: "# collections" })}`,
      ofMoreThan: (matches, total) =>
        t`${matches} of more than ${plural(total, { one: "# collection", other: "# collections" })}`
    }),
    search: t`Search`,
    searchPlaceholder: t`Title or slug`,
    noMatches: t`No collections found`,
    empty: t`No collections yet`,
    emptyAdvice: t`Group products by hand, or let rules choose them.`,
    name: t`Title`,
    type: t`Type`,
    manual: t`Manual`,
    automated: (rules: number) => t`Automated, ${plural(rules, { one: "# rule", other: "# rules" })}`,
    products: t`Products`,
    status: t`Status`,
    active: t`Active`,
    inactive: t`Inactive`,
    created: t`Created`,
    updated: t`Updated`
  },
  create: {
    title: t`Create collection`,
    created: (collection: string) => t`${collection} created`,
    unsaved: t`This collection is not created yet. Your entries will be lost.`
  },
  details: {
    fallbackTitle: t`Collection`,
    delete: t`Delete collection`,
    deleted: (collection: string) => t`${collection} deleted`,
    confirmDelete: (collection: string) => t`Delete ${collection}?`,
    deleteAdvice: t`Products in this collection are not deleted. You can restore the collection from Activity.`
  },
  form: {
    details: t`Details`,
    descriptionHint: t`Text or HTML, saved as entered.`,
    types: {
      manual: t`Manual: you choose the products and their order`,
      automated: t`Automated: rules choose the products`
    },
    status: t`Status`,
    activeHint: t`Visible to shoppers.`,
    imageUrl: t`Image URL`,
    imageUrlHint: t`https://…`,
    searchListing: t`Search engine listing`,
    newSlugHint: t`The last part of its URL. Leave it empty to use the title.`,
    slugHint: t`The last part of its URL.`,
    missingValue: t`Enter a value`,
    missingRules: t`Add a rule, or choose the products yourself: set the collection type to manual`,
    line: (line: string, problem: string) => t`${line}: ${problem}`
  },
  editor: {
    saved: (collection: string) => t`${collection} saved`,
    conflict: t`Someone else saved this collection. Choose above which values to keep.`,
    unsavedChanges: t`Unsaved changes`,
    unsaved: t`Your changes to this collection are not saved and will be lost.`
  },
  conflict: {
    yes: t`Yes`,
    no: t`No`,
    anyRule: t`Match any rule`,
    allRules: t`Match all rules`,
    automated: t`Automated`,
    products: (products: number) => t`${plural(products, { one: "# product", other: "# products" })} in this order`,
    title: t`Someone else saved this collection`,
    otherFields: (fields: string) => t`Their changes to these fields are kept: ${fields}.`,
    noOverlap: t`Your changes do not overlap with theirs. Save to apply them.`,
    chooseVersions: t`You both changed these fields. Choose which version to keep. Nothing is saved until you save.`,
    continueEditing: t`Continue editing`
  },
  products: {
    count: (products: number) => plural(products, { one: "# product", other: "# products" }),
    product: t`Product`,
    move: (product: string, position: number, count: number) =>
      t`Move ${product}, ${number(position)} of ${number(count)}`,
    actions: (product: string) => t`Actions for ${product}`,
    moveToTop: t`Move to top`,
    moveUp: t`Move up`,
    moveDown: t`Move down`,
    moveToEnd: t`Move to end`,
    remove: t`Remove`,
    title: t`Products`,
    add: t`Add a product`,
    alreadyAdded: t`Already added`,
    limitReached: (limit: number) => t`A collection can have up to ${number(limit)} products. Remove some products.`,
    empty: t`No products yet. Search for products to add them.`,
    list: t`Products in order`,
    reorderAdvice: t`To reorder products, drag the handles or use the arrow keys.`,
    moved: (product: string, position: number, count: number) =>
      t`${product} moved to position ${number(position)} of ${number(count)}`,
    removed: (product: string) => t`${product} removed`,
    added: (product: string, position: number) => t`${product} added at position ${number(position)}`,
    deleted: t`Deleted product`,
    notLoaded: t`This product could not be loaded`
  },
  matches: {
    showAll: (products: number) => t`Show all ${plural(products, { one: "# product", other: "# products" })}`,
    all: t`All matching products`,
    title: t`Matching products`,
    noRules: t`Add a rule to see the products that match.`,
    incompleteRules: t`Complete the rules to see the products that match`,
    searching: t`Searching…`,
    count: (products: number) => plural(products, { one: "# product matches", other: "# products match" }),
    check: t`Check a product`,
    find: t`Find a product`,
    empty: t`No products match these rules.`,
    explainProduct: (product: string) => t`Explain ${product}`,
    explain: t`Explain`,
    first: (shown: number, products: number) =>
      t`Showing the first ${number(shown)} of ${plural(products, { one: "# product", other: "# products" })}.`
  },
  explanation: {
    label: (product: string) => t`Explanation of ${product}`,
    matches: t`Matches`,
    noMatch: t`Does not match`,
    includedByAny: (product: string) => t`${product} is included: it matches at least one rule.`,
    includedByAll: (product: string) => t`${product} is included: it matches all rules.`,
    excludedByAny: (product: string) => t`${product} is not included: it matches no rule.`,
    excludedByAll: (product: string, failing: number, rules: number) =>
      t`${product} is not included: it does not match ${number(failing)} of ${plural(rules, { one: "# rule", other: "# rules" })}.`,
    since: {
      product: (at: string) => t`Included since ${at}, by a change of the product.`,
      collection: (at: string) => t`Included since ${at}, by a change of the collection.`
    },
    changes: { product: t`View changes of the product`, collection: t`View changes of the collection` },
    currentValue: (value: string) => t`Current value: ${value}`
  },
  rules: {
    mustMatch: t`Products must match`,
    all: t`All rules`,
    any: t`Any rule`,
    rule: (position: number) => t`Rule ${number(position)}`,
    add: t`Add rule`,
    field: t`Field`,
    condition: t`Condition`,
    remove: (rule: string) => t`Remove ${rule}`,
    value: t`Value`,
    linesHint: t`One value per line`
  },
  review: {
    title: t`Review changes`,
    save: t`Save collection`,
    added: (products: number) => t`Added (${number(products)})`,
    addedProducts: t`Added products`,
    noneAdded: t`No products are added.`,
    removed: (products: number) => t`Removed (${number(products)})`,
    removedProducts: t`Removed products`,
    noneRemoved: t`No products are removed.`,
    unchanged: (products: number) =>
      t`The collection keeps the same ${plural(products, { one: "# product", other: "# products" })}.`,
    changed: (before: number, after: number) =>
      t`The collection changes from ${plural(before, { one: "# product", other: "# products" })} to ${plural(after, { one: "# product", other: "# products" })}.`,
    tabs: t`Added and removed`,
    notifiedApps: (apps: string) => t`Notified apps: ${apps}.`
  }
} as const
