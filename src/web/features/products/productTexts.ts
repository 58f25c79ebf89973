import { plural, t } from "@lingui/core/macro"
import { number } from "../../shared/data/format.ts"
import { fieldTexts } from "../../shared/fieldTexts.ts"

/** Texts of the product editor. */
export const productTexts = {
  title: t`Products`,
  states: { active: t`Active`, inactive: t`Inactive` },
  fields: fieldTexts,
  cards: {
    pricing: t`Pricing`,
    inventory: t`Inventory`,
    variants: t`Options and variants`,
    seo: t`Search engine listing`,
    faqs: t`Questions and answers`,
    shipping: t`Shipping and customs`,
    advanced: t`Advanced`,
    status: t`Status`,
    organization: t`Organization`
  },
  addToCard: {
    variants: t`Add option`,
    seo: t`Edit listing`,
    faqs: t`Add question`,
    shipping: t`Add shipping details`,
    advanced: t`Add custom data`,
    organization: t`Add vendor or tags`
  },
  create: {
    copyOf: (product: string) => t`${product} copy`,
    created: (product: string) => t`${product} created`,
    title: t`Create product`,
    correctFields: t`Correct the marked fields`,
    unsavedProduct: t`Unsaved product`,
    unsaved: t`This product is not created yet. Your entries will be lost.`
  },
  editor: {
    fallbackTitle: t`Product`,
    deleted: (product: string) => t`${product} deleted`,
    updateVariantStock: (variant: number, stock: string) => t`Update stock of variant ${number(variant)}: ${stock}`,
    delete: t`Delete product`,
    duplicate: t`Duplicate product`,
    wasDeleted: t`This product was deleted`,
    wasDeletedAdvice: t`You see its last version. You can restore it from Activity.`,
    inStock: (stock: string) => t`${stock} in stock`,
    inStockOfVariants: (stock: string, variants: number) =>
      t`${stock} in stock in ${plural(variants, { one: "# variant", other: "# variants" })}`,
    stockOfVariants: t`Enter the stock of each variant below.`,
    untracked: t`Stock is not tracked`,
    confirmDelete: (product: string) => t`Delete ${product}?`,
    deleteAdvice: t`The product is also removed from its collections. You can restore it from Activity.`,
    unsaved: t`Your changes to this product are not saved and will be lost.`,
    conflict: t`Someone else changed this product. Save to compare the versions.`,
    correctFields: (fields: number) => t`Correct ${plural(fields, { one: "# field", other: "# fields" })}`,
    changedFields: (fields: number) => t`${plural(fields, { one: "# field", other: "# fields" })} changed`,
    changedByOthers: (fields: string) =>
      t`Someone else changed: ${fields}. Your own changes are kept, but not saved yet.`,
    saved: t`Product saved`
  },
  conflict: {
    title: t`Someone else changed this product`,
    advice: t`You both changed these fields. Choose which version to keep. All other changes are kept.`,
    save: t`Save selected versions`,
    continueEditing: t`Continue editing`
  },
  form: {
    dimensions: {
      length: t`Length`,
      width: t`Width`,
      height: t`Height`,
      unit: t`Unit`
    },
    salePriceHint: (currency: string) => t`${currency}, charged while on sale`,
    costHint: (currency: string) => t`${currency}, your cost per item`,
    onSaleHint: t`Sell at the sale price.`,
    skuHint: t`Stock keeping unit`,
    barcodeHint: t`GTIN, EAN, UPC or ISBN`,
    weightHint: t`In the weight unit of the store`,
    productKinds: {
      physical: t`Physical`,
      digital: t`Digital`,
      gift_card: t`Gift card`,
      service: t`Service`
    },
    noDiscount: t`Enter a sale price below the price, or clear it`,
    hsCodeHint: t`Harmonized System code`,
    jsonHint: t`A JSON object, or a list of objects. Write its numbers with a decimal point, such as 1.5.`,
    activeHint: t`Visible to shoppers.`,
    tagItem: t`tag`,
    tagsHint: t`Commas separate tags.`,
    categoryIdHint: t`ID in a product taxonomy`,
    categoryNameHint: t`Name in that taxonomy`,
    notSet: t`Not set`,
    yes: t`Yes`,
    no: t`No`,
    cannotClear: t`cannot be cleared. Enter 0, or remove the variant and add it again`
  },
  description: {
    hint: t`Text or HTML, saved as entered.`,
    bold: t`Bold`,
    italic: t`Italic`,
    heading: (level: number) => t`Heading ${number(level)}`,
    bulletList: t`Bulleted list`,
    orderedList: t`Numbered list`,
    quote: t`Quote`,
    link: t`Link`,
    linkAddress: t`Link address`,
    linkPlaceholder: t`https://`,
    applyLink: t`Apply link`,
    removeLink: t`Remove link`,
    formatting: t`Text formatting`,
    editSource: t`Edit source`,
    editText: t`Edit formatted text`,
    unknown: t`This HTML has parts that the text editor does not know. Edit its source, so that none is lost.`,
    loading: t`Loading editor`,
    failed: t`The text editor could not be loaded. Edit the source, or reload the page.`
  },
  faqs: {
    question: (position: number) => t`Question ${number(position)}`,
    answer: (position: number) => t`Answer ${number(position)}`,
    item: (position: number) => t`question ${number(position)}`,
    add: t`Add question`
  },
  items: {
    moveUp: (item: string) => t`Move ${item} up`,
    moveDown: (item: string) => t`Move ${item} down`,
    removeItem: (item: string) => t`Remove ${item}`,
    remove: t`Remove`
  },
  media: {
    urlPlaceholder: t`https://`,
    mainImageHint: t`Shown in product lists.`,
    list: t`Pictures`,
    advice: t`Drag pictures to order them, or press the arrow keys on their handles.`,
    alt: (position: number) => t`Alt text of picture ${number(position)}`,
    altPlaceholder: t`Alt text`,
    main: t`Main image`,
    move: (position: number, count: number) => t`Move picture ${number(position)} of ${number(count)}`,
    moved: (position: number, count: number) => t`Picture moved to position ${number(position)} of ${number(count)}`,
    actions: (position: number) => t`Actions of picture ${number(position)}`,
    makeMain: t`Use as main image`,
    replace: t`Replace`,
    edit: t`Edit address`,
    remove: t`Remove`,
    removed: (position: number) => t`Picture ${number(position)} removed`,
    separateMain: t`The main image is not one of the pictures below. Its address is under Advanced.`,
    address: t`Address of the picture`,
    type: t`Media type`,
    typeHint: t`Such as image or video.`,
    addUrl: t`Add by URL`,
    done: t`Done`,
    uploading: (pictures: number) => t`${plural(pictures, { one: "# picture", other: "# pictures" })} not uploaded yet`
  },
  options: {
    advice: t`Options distinguish variants, such as Size: S, M, L.`,
    option: (position: number) => t`Name of option ${number(position)}`,
    missingName: t`Enter a name, such as Size, or remove the option`,
    repeatedName: t`Enter a name that no other option has, also in upper or lower case`,
    repeatedValue: (value: string) =>
      t`Remove ${value}. The option has this value already, also in upper or lower case.`,
    values: (option: string) => t`Values of ${option}`,
    valueItem: t`value`,
    confirmRemove: (value: string) => t`Remove ${value}?`,
    removeAdvice: (variants: number) =>
      t`${plural(variants, { one: "# variant has", other: "# variants have" })} this value. Their prices, codes and stock are removed with them.`,
    removeWithVariants: (variants: number) =>
      t`Remove ${plural(variants, { one: "# variant", other: "# variants" })} too`,
    keepVariants: t`Keep variants`,
    item: (position: number) => t`option ${number(position)}`,
    add: t`Add option`
  },
  seo: {
    preview: t`Search engine preview`,
    slugPlaceholder: t`created from the name`,
    descriptionPlaceholder: t`Add a description. Without one, search engines choose a text.`,
    lengthHint: (characters: number, visible: number) =>
      t`${plural(characters, { one: "# character", other: "# characters" })}. Search engines show about ${number(visible)}.`,
    slugHint: t`The last part of its URL: a-z, 0-9 and hyphens.`,
    address: (slug: string) => t`your store › products › ${slug}`
  },
  stock: {
    updated: t`Stock updated`,
    action: t`Action`,
    adjust: t`Adjust by`,
    set: t`Set to`,
    quantityToAdd: t`Quantity to add`,
    newQuantity: t`New quantity`,
    adjustHint: t`Use a negative number to reduce the stock, such as -2.`,
    setHint: (stock: string) => t`Saved only if the stock is still ${stock}.`,
    reason: t`Reason`,
    reasonHint: t`Shown under Activity. Optional.`,
    update: t`Update stock`,
    current: (stock: string, variant: string | null | undefined) =>
      variant === null || variant === undefined ? t`${stock} in stock.` : t`${stock} in stock for ${variant}.`
  },
  variants: {
    title: t`Title`,
    picture: t`Picture`,
    pictureOf: (variant: number) => t`Picture of variant ${number(variant)}`,
    picturePosition: (position: number) => t`Picture ${number(position)}`,
    noPicture: t`No picture`,
    noPictures: t`The product has no pictures yet. Upload some above, or choose a file.`,
    location: (variant: number, field: string) =>
      field === "" ? t`Variant ${number(variant)}` : t`Variant ${number(variant)}, ${field}`,
    remove: t`Remove`,
    removeVariant: (variant: number) => t`Remove variant ${number(variant)}`,
    cell: (label: string, variant: number) => t`${label} of variant ${number(variant)}`,
    newOption: t`New option`,
    empty: t`No variants yet. Add variants if the product comes in several versions, each with its own price and stock.`,
    add: t`Add variant`,
    fillDown: t`Fill down`,
    fillDownColumn: (column: string) => t`Fill down ${column}`,
    pasteAdvice: t`Paste cells of a spreadsheet to fill cells from the focused one on. Ctrl+D copies a cell to the rows below.`,
    filled: (cells: number) => t`${plural(cells, { one: "# cell", other: "# cells" })} filled.`,
    outside: (cells: number) =>
      t`${plural(cells, { one: "# cell", other: "# cells" })} left out: the table has no row or column for them.`,
    refused: (cells: number) => t`${plural(cells, { one: "# cell", other: "# cells" })} not changed:`,
    undo: t`Undo`,
    savedStock: t`Use its stock button. Saved variants record each change of stock`,
    group: (value: string, variants: number) =>
      value === "" ? t`No value (${number(variants)})` : `${value} (${number(variants)})`,
    priceRange: (low: number, high: number) => (low === high ? number(low) : `${number(low)} – ${number(high)}`),
    tooMany: (combinations: number, limit: number) =>
      t`The options make ${number(combinations)} combinations, but a product has at most ${plural(limit, { one: "# variant", other: "# variants" })}. Remove values, or sell it as several products.`,
    addMissing: (variants: number) =>
      t`Add ${plural(variants, { one: "# missing combination", other: "# missing combinations" })}`
  }
} as const
