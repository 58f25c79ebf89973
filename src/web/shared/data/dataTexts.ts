import { plural, t } from "@lingui/core/macro"
import { alternatives, number } from "./format.ts"

/** Texts of error messages, form input and compared values. */
export const dataTexts = {
  /** Labels that cannot be derived from the field name. */
  fields: {
    appName: t`App`,
    budget: t`Daily write limit`,
    categoryId: t`Category ID`,
    categoryName: t`Category name`,
    capabilities: t`Capabilities`,
    costPrice: t`Cost`,
    currencyCode: t`Currency`,
    discountedPrice: t`Sale price`,
    disjunctive: t`Match any rule`,
    faqs: t`Questions and answers`,
    hsCode: t`HS code`,
    imageUrl: t`Image`,
    isActive: t`Active`,
    metafields: t`Metafields`,
    planName: t`Plan`,
    productIds: t`Products`,
    proposalsOnly: t`Approval required`,
    scopes: t`Permissions`,
    seoDescription: t`SEO description`,
    seoTitle: t`SEO title`,
    sku: t`SKU`,
    vendorName: t`Vendor`,
    window: t`Requests per minute`
  },
  errors: {
    unreachable: {
      title: t`Cannot reach the service`,
      advice: t`Check your connection, then try again. Your entries are kept.`
    },
    busy: {
      title: t`The service is busy`,
      advice: t`Wait a moment, then try again.`
    },
    unexpected: {
      title: t`This page could not be displayed`,
      advice: t`Reload the page. Saved changes are kept.`
    },
    internal: {
      title: t`Something went wrong`,
      advice: t`Try again. If the problem continues, send the request ID to support.`
    },
    signedOut: {
      title: t`Your session has expired`,
      advice: t`Sign in again to return to this page.`
    },
    ownersOnly: {
      title: t`Owners only`,
      advice: t`Ask an owner of the store to do this, or to make you an owner.`
    },
    rejected: t`This could not be completed`,
    signInUnreachable: t`Cannot reach the service. Try again in a moment.`
  },
  input: {
    notANumber: (example: string, grouped: string) => t`Write a number, such as ${example} or ${grouped}`,
    notWhole: (example: string, grouped: string) => t`Write a whole number, such as ${example} or ${grouped}`,
    misspelled: (spellings: ReadonlyArray<string>) => t`Write ${alternatives(spellings)}`,
    tooLong: (characters: string) => t`Use at most ${characters} characters`,
    missing: (characters: string) => t`Enter 1 to ${characters} characters`,
    outOfRange: (least: number, most: number) => t`Enter a number from ${number(least)} to ${number(most)}`,
    notNegative: t`Enter 0 or more, with at most 15 digits`,
    tooManyDigits: t`Use at most 15 digits`,
    invalidJsonBecause: (reason: string) => t`is not valid JSON: ${reason}`,
    invalidJsonAdvice: t`check its quotes, commas and brackets`,
    invalidJson: t`is not valid JSON`
  },
  values: {
    yes: t`Yes`,
    no: t`No`,
    reorderedProducts: (products: number) =>
      t`${plural(products, { one: "# product", other: "# products" })}, reordered`,
    changedProducts: (products: number, added: number, removed: number) =>
      t`${plural(products, { one: "# product", other: "# products" })}: ${number(added)} added, ${number(removed)} removed`,
    untitled: t`Untitled`,
    products: (products: number) => plural(products, { one: "# product", other: "# products" })
  }
} as const
