import { count, number } from "../data/format.ts"

/** Texts of the shared components. */
export const uiTexts = {
  dialog: {
    close: "Close",
    cancel: "Cancel"
  },
  copy: {
    copied: "Copied",
    copyText: (title: string) => `Copy: ${title}`,
    copy: "Copy",
    copySecret: (label: string) => `Copy ${label}`,
    notCopied: "The secret is shown once, and you have not copied it."
  },
  differences: {
    empty: "empty",
    showLess: "Show less",
    showFullText: "Show full text",
    showFields: (fields: number) => `Show ${count(fields, "field")}`,
    showAllFields: (fields: number) => `Show all ${number(fields)} fields`,
    field: "Field",
    showFewerFields: "Show fewer fields"
  },
  query: {
    requestId: "Request ID",
    tryAgain: "Try again",
    loading: "Loading"
  },
  list: {
    clear: "Clear filters",
    noMatchesAdvice: "Try a shorter search or remove a filter.",
    loading: "Loading"
  },
  table: {
    loading: "Loading…",
    showMore: "Show more"
  },
  toast: {
    dismiss: "Dismiss"
  },
  listField: {
    placeholder: (item: string) => `Type a ${item}, then press Enter`,
    currentValues: (label: string) => `${label}: current values`,
    remove: (value: string) => `Remove ${value}`
  },
  productSearch: {
    searching: "Searching…",
    noMatches: "No products found. Try a shorter search or a SKU.",
    placeholder: "Name, SKU or barcode",
    results: "Search results"
  },
  saveBar: {
    save: "Save",
    unsavedChanges: "Unsaved changes",
    discard: "Discard"
  },
  unsavedChanges: {
    title: "Leave this page?",
    leave: "Leave page"
  },
  versions: {
    empty: "Empty",
    yours: "Your version",
    theirs: "Their version"
  },
  page: {
    backTo: "Back to"
  },
  errorPage: {
    error: "Something went wrong",
    notFound: "Page not found",
    notFoundReason: "This page does not exist, or you do not have access to it",
    start: "Go to the start page"
  },
  shell: {
    skipToContent: "Skip to main content",
    menu: "Menu",
    mobileNavigation: "Main, mobile",
    navigation: "Main",
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    offline: "You are offline. Data may be out of date. Changes are saved when you reconnect."
  }
} as const
