import { plural, select, t } from "@lingui/core/macro"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { alternatives, number } from "./data/format.ts"

/** Texts of error messages, form input and compared values. */
export const dataTexts = {
  /** Labels of fields that products do not have, and that cannot be derived from the field name. */
  fields: {
    appName: t`App`,
    budget: t`Daily write limit`,
    capabilities: t`Capabilities`,
    disjunctive: t`Match any rule`,
    imageUrl: t`Image`,
    planName: t`Plan`,
    productIds: t`Products`,
    proposalsOnly: t`Approval required`,
    scopes: t`Permissions`,
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
    signInRefused: t`The e-mail address or the password is wrong. Try again, or ask an owner of your store for a link that resets the password.`,
    tooManySignIns: t`Too many failed sign-ins. Try again in some minutes, or ask an owner of your store for a link that resets the password.`,
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
    tooManyPlaces: (places: number, example: string) =>
      t`Use at most ${plural(places, { one: "# decimal place", other: "# decimal places" })}, such as ${example}`,
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
    changedPrice: (price: string, change: string) => t`${price} (${change})`,
    untitled: t`Untitled`,
    products: (products: number) => plural(products, { one: "# product", other: "# products" })
  }
} as const

/** Texts of the shared components. */
export const uiTexts = {
  presence: {
    isOpen: (member: string, since: string) => t`${member} has this form open since ${since}.`
  },
  dialog: {
    close: t`Close`,
    cancel: t`Cancel`
  },
  copy: {
    copied: t`Copied`,
    copyText: (title: string) => t`Copy: ${title}`,
    copy: t`Copy`,
    copySecret: (label: string) => t`Copy ${label}`,
    notCopied: t`The secret is shown once, and you have not copied it.`
  },
  differences: {
    empty: t`empty`,
    showLess: t`Show less`,
    showFullText: t`Show full text`,
    showFields: (fields: number) => t`Show ${plural(fields, { one: "# field", other: "# fields" })}`,
    showAllFields: (fields: number) => t`Show all ${number(fields)} fields`,
    field: t`Field`,
    showFewerFields: t`Show fewer fields`
  },
  query: {
    requestId: t`Request ID`,
    tryAgain: t`Try again`,
    loading: t`Loading`
  },
  list: {
    clear: t`Clear filters`,
    noMatchesAdvice: t`Try a shorter search or remove a filter.`,
    loading: t`Loading`
  },
  export: {
    rows: (kind: DataKind, rows: number | null | undefined, isFiltered: boolean) => {
      if (typeof rows === "number")
        return t`Export ${select(kind, {
          products: plural(rows, { one: "# product", other: "# products" }),
          collections: plural(rows, { one: "# collection", other: "# collections" }),
          orders: plural(rows, { one: "# order", other: "# orders" }),
          other: plural(rows, { one: "# customer", other: "# customers" })
        })}`
      return isFiltered
        ? t`Export all matching ${select(kind, { products: "products", collections: "collections", orders: "orders", other: "customers" })}`
        : t`Export all ${select(kind, { products: "products", collections: "collections", orders: "orders", other: "customers" })}`
    },
    open: t`Export…`,
    hint: t`You can import the file again.`,
    personalData: t`The file contains personal data.`,
    format: t`Format`,
    formats: { csv: t`CSV for spreadsheets`, jsonl: t`JSON Lines` },
    start: t`Export`,
    running: (exported: number) => t`${plural(exported, { one: "# row", other: "# rows" })} exported`,
    failed: t`The export failed. Try again.`,
    done: (exported: number) =>
      t`${plural(exported, { one: "# row", other: "# rows" })} exported. Your browser saves the file.`
  },
  table: {
    loading: t`Loading…`,
    showMore: t`Show more`
  },
  toast: {
    dismiss: t`Dismiss`
  },
  listField: {
    placeholder: (item: string) => t`Type a ${item}, then press Enter`,
    currentValues: (label: string) => t`${label}: current values`,
    remove: (value: string) => t`Remove ${value}`
  },
  productSearch: {
    searching: t`Searching…`,
    noMatches: t`No products found. Try a shorter search or a SKU.`,
    placeholder: t`Name, SKU or barcode`,
    results: t`Search results`
  },
  saveBar: {
    save: t`Save`,
    unsavedChanges: t`Unsaved changes`,
    discard: t`Discard`
  },
  unsavedChanges: {
    title: t`Leave this page?`,
    leave: t`Leave page`
  },
  versions: {
    empty: t`Empty`,
    yours: t`Your version`,
    theirs: t`Their version`
  },
  page: {
    backTo: t`Back to`
  },
  errorPage: {
    error: t`Something went wrong`,
    notFound: t`Page not found`,
    notFoundReason: t`This page does not exist, or you do not have access to it`,
    start: t`Go to the start page`
  },
  shell: {
    skipToContent: t`Skip to main content`,
    menu: t`Menu`,
    mobileNavigation: t`Main, mobile`,
    navigation: t`Main`,
    language: t`Language`,
    theme: t`Theme`,
    themes: { system: t`System`, light: t`Light`, dark: t`Dark` },
    offline: t`You are offline. Data may be out of date. Changes are saved when you reconnect.`
  }
} as const
