import { count, number } from "./format.ts"

/** Texts of error messages, form input and compared values. */
export const dataTexts = {
  /** Labels that cannot be derived from the field name. */
  fields: {
    appName: "App",
    budget: "Daily write limit",
    categoryId: "Category ID",
    categoryName: "Category name",
    capabilities: "Capabilities",
    costPrice: "Cost",
    currencyCode: "Currency",
    discountedPrice: "Sale price",
    disjunctive: "Match any rule",
    faqs: "Questions and answers",
    hsCode: "HS code",
    imageUrl: "Image",
    isActive: "Active",
    metafields: "Metafields",
    planName: "Plan",
    productIds: "Products",
    proposalsOnly: "Approval required",
    scopes: "Permissions",
    seoDescription: "SEO description",
    seoTitle: "SEO title",
    sku: "SKU",
    vendorName: "Vendor",
    window: "Requests per minute"
  },
  errors: {
    unreachable: {
      title: "Cannot reach the service",
      advice: "Check your connection, then try again. Your entries are kept."
    },
    busy: {
      title: "The service is busy",
      advice: "Wait a moment, then try again."
    },
    unexpected: {
      title: "This page could not be displayed",
      advice: "Reload the page. Saved changes are kept."
    },
    internal: {
      title: "Something went wrong",
      advice: "Try again. If the problem continues, send the request ID to support."
    },
    signedOut: {
      title: "Your session has expired",
      advice: "Sign in again to return to this page."
    },
    ownersOnly: {
      title: "Owners only",
      advice: "Ask an owner of the store to do this, or to make you an owner."
    },
    rejected: "This could not be completed",
    signInUnreachable: "Cannot reach the service. Try again in a moment."
  },
  input: {
    notANumber: (example: string, grouped: string) => `Write a number, such as ${example} or ${grouped}`,
    notWhole: (example: string, grouped: string) => `Write a whole number, such as ${example} or ${grouped}`,
    misspelled: (spellings: ReadonlyArray<string>) => `Write ${spellings.join(" or ")}`,
    tooLong: (characters: string) => `Use at most ${characters} characters`,
    missing: (characters: string) => `Enter 1 to ${characters} characters`,
    outOfRange: (least: number, most: number) => `Enter a number from ${number(least)} to ${number(most)}`,
    notNegative: "Enter 0 or more, with at most 15 digits",
    tooManyDigits: "Use at most 15 digits",
    invalidJsonBecause: (reason: string) => `is not valid JSON: ${reason}`,
    invalidJsonAdvice: "check its quotes, commas and brackets",
    invalidJson: "is not valid JSON"
  },
  values: {
    yes: "Yes",
    no: "No",
    reorderedProducts: (products: number) => `${count(products, "product")}, reordered`,
    changedProducts: (products: number, added: number, removed: number) =>
      `${count(products, "product")}: ${number(added)} added, ${number(removed)} removed`,
    untitled: "Untitled",
    products: (products: number) => count(products, "product")
  }
} as const
